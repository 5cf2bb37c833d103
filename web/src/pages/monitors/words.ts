/** Monitors in words; what they mean is the server's affair. */
import type { Monitor, Ping } from "@/api/types";
import type { Mood } from "@/ui/State";

export const STATES: Record<Monitor["state"], { word: string; mood: Mood }> = {
  new: { word: "New", mood: "wait" },
  up: { word: "Up", mood: "ok" },
  started: { word: "Started", mood: "run" },
  late: { word: "Late", mood: "warn" },
  down: { word: "Down", mood: "bad" },
  paused: { word: "Paused", mood: "idle" },
};

export const KINDS: Record<Ping["kind"], { word: string; mood: Mood; fill: string }> = {
  success: { word: "Success", mood: "ok", fill: "bg-ok-fill" },
  fail: { word: "Failure", mood: "bad", fill: "bg-bad-fill" },
  start: { word: "Start", mood: "run", fill: "bg-run-fill" },
  log: { word: "Log", mood: "wait", fill: "bg-idle-fill" },
};

/** A ping in a word or two: `Failure, exit status 3`. */
export function pingWords({ kind, exitStatus }: Pick<Ping, "kind" | "exitStatus">): string {
  const word = KINDS[kind].word;
  return exitStatus === null ? word : `${word}, exit status ${exitStatus}`;
}

const CURL = "curl -fsS -m 10 --retry 5";

/** Lines that are ready to be copied, each with what it is for. */
export function linesFor(monitor: Monitor, origin: string): (readonly [string, string])[] {
  const url = origin + monitor.path;
  const times = monitor.cron ?? "0 3 * * *";
  return [
    ["Address", url],
    ["By name", origin + monitor.slugPath],
    ["In a shell", `${CURL} ${url}`],
    ["In a crontab", `${times}  /path/to/job; ${CURL} -o /dev/null ${url}/$?`],
    ["With a log", `${CURL} --data-binary @job.log ${url}`],
  ];
}
