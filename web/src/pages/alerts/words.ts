/** The words of the pages for what the API says about alerts. */
import type { AlertKind, AlertRule, Channel, Severity } from "@/api/types";

export const KINDS: readonly (readonly [AlertKind, string, string])[] = [
  ["run.failed", "Runs failed", "for good, with no retry left"],
  ["cause.new", "New error", "a job failed with an error that it has not had before"],
  ["schedule.paused", "Schedule paused itself", "or it cannot be read any more"],
  ["schedule.late", "Schedules are late", "due for more than a minute, and nobody fires them"],
  ["breaker.open", "Breaker is open", "runs of a job are held back after many failures"],
  ["queue.unserved", "Queue without a worker", "runs wait, and no living worker serves it"],
  ["queue.paused", "Queue is paused", "runs wait in it"],
  ["worker.lost", "Worker lost", "not heard from, or it died with runs at work"],
];

export function wordOf(kind: string): string {
  return KINDS.find(([key]) => key === kind)?.[1] ?? kind;
}

export const SEVERITIES: readonly (readonly [Severity, string])[] = [
  ["info", "Info"],
  ["warning", "Warning"],
  ["error", "Error"],
  ["critical", "Critical"],
];

export const GROUPS: readonly (readonly [AlertRule["group"], string])[] = [
  ["job", "each job"],
  ["cause", "each job and error"],
  ["rule", "the whole rule"],
];

export const CHANNELS: readonly (readonly [Channel["kind"], string])[] = [
  ["webhook", "Webhook"],
  ["slack", "Slack"],
  ["email", "E-mail"],
  ["apprise", "Another service"],
];

/** What a rule is about, as one line: names of jobs and queues, and how many must fail. */
export function scopeOf(rule: Pick<AlertRule, "jobs" | "queues" | "after" | "window">): string {
  const parts = [
    rule.jobs.length > 0 && `jobs ${rule.jobs.join(", ")}`,
    rule.queues.length > 0 && `queues ${rule.queues.join(", ")}`,
    rule.after > 1 && `from ${rule.after} failed runs in ${rule.window}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** When a rule sends nothing, or nothing again, as one line. */
export function timingOf(rule: Pick<AlertRule, "repeat" | "recovery" | "quiet">): string {
  const { repeat, recovery, quiet } = rule;
  const parts = [
    repeat ? `reminds every ${repeat}` : "never reminds",
    !recovery && "says nothing when it is over",
    quiet && `quiet ${quiet.begin} to ${quiet.end} ${quiet.zone}`,
  ];
  return parts.filter(Boolean).join(" · ");
}
