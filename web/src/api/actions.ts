/**
 * How each verb is asked for: its words, its route, what it changes.
 *
 * Whether a verb is offered is not decided here: the API says so with each item (`verbs`), after the
 * caller's role and the item's state.
 */
import { ask } from "./client";
import type { Acted } from "./types";

export type Subject =
  | "run"
  | "job"
  | "schedule"
  | "queue"
  | "worker"
  | "dead"
  | "breaker"
  | "token"
  | "backfill"
  | "namespace"
  | "template"
  | "calendar"
  | "blackout"
  | "monitor"
  | "alertRule"
  | "alertChannel";

export interface Action {
  verb: string;
  label: string;
  icon: string;
  danger?: boolean;
  /** On the button that does it, where the label alone could mean "do not". */
  submit?: string;
  /** What a person agrees to before it happens; none means that it is easily undone. */
  confirm?: (name: string) => string;
  /** Asks for a sentence that others will read. */
  note?: boolean;
  done: (name: string) => string;
  send: (id: string, note?: string) => Promise<unknown>;
}

const RUN: Action[] = [
  {
    verb: "cancel",
    label: "Cancel",
    icon: "ban",
    danger: true,
    submit: "Cancel the run",
    confirm: (name) => `${name} stops as soon as it can. What it has done already stays done.`,
    done: (name) => `${name} is being cancelled.`,
    send: (id) => ask("cancelRun", { path: [id] }),
  },
  {
    verb: "force_cancel",
    label: "Cancel without teardowns",
    icon: "ban",
    danger: true,
    submit: "Cancel now",
    confirm: (name) => `${name} ends at once. What its setups have made is not cleared away.`,
    done: (name) => `${name} is cancelled.`,
    send: (id) => ask("cancelRun", { path: [id], body: { force: true } }),
  },
  {
    verb: "pause",
    label: "Pause",
    icon: "pause",
    done: (name) => `${name} starts no further steps.`,
    send: (id) => ask("pauseRun", { path: [id] }),
  },
  {
    verb: "resume",
    label: "Resume",
    icon: "play",
    done: (name) => `${name} goes on.`,
    send: (id) => ask("resumeRun", { path: [id] }),
  },
];

type Noun = "Job" | "Schedule" | "Queue";

function pausable(noun: Noun, effect: (name: string) => string): Action[] {
  return [
    {
      verb: "pause",
      label: "Pause",
      icon: "pause",
      note: true,
      confirm: (name) => `${effect(name)} until somebody resumes it. Runs under way go on.`,
      done: (name) => `${name} is paused.`,
      send: (id, note) => ask(`pause${noun}`, { path: [id], body: note ? { note } : {} }),
    },
    {
      verb: "resume",
      label: "Resume",
      icon: "play",
      done: (name) => `${name} goes on.`,
      send: (id) => ask(`resume${noun}`, { path: [id] }),
    },
  ];
}

function removal(noun: string, effect: string, send: Action["send"]): Action {
  return {
    verb: "delete",
    label: "Delete",
    icon: "trash",
    danger: true,
    confirm: (name) => `${noun} ${name} is removed. ${effect}`,
    done: (name) => `${name} is deleted.`,
    send,
  };
}

export const ACTIONS: Record<Subject, Action[]> = {
  run: RUN,
  job: [
    ...pausable("Job", (name) => `No run of ${name} starts`),
    {
      verb: "delete",
      label: "Delete",
      icon: "trash",
      danger: true,
      confirm: (name) => `Job ${name} and its schedules are removed. Its past runs stay.`,
      done: (name) => `${name} is deleted.`,
      send: (id) => ask("removeJob", { path: [id] }),
    },
  ],
  schedule: [
    {
      verb: "trigger",
      label: "Trigger now",
      icon: "zap",
      done: (name) => `${name} fired.`,
      send: (id) => ask("triggerSchedule", { path: [id] }),
    },
    {
      verb: "unblock",
      label: "Unblock",
      icon: "play",
      done: (name) => `${name} goes on.`,
      send: (id) => ask("unblockSchedule", { path: [id] }),
    },
    ...pausable("Schedule", (name) => `${name} does not fire`),
    {
      verb: "delete",
      label: "Delete",
      icon: "trash",
      danger: true,
      confirm: (name) => `Schedule ${name} never fires again. Its past runs stay.`,
      done: (name) => `${name} is deleted.`,
      send: (id) => ask("removeSchedule", { path: [id] }),
    },
  ],
  queue: pausable("Queue", (name) => `No run in ${name} starts`),
  worker: [
    {
      verb: "drain",
      label: "Drain",
      icon: "drain",
      confirm: (name) =>
        `Worker ${name} takes no new runs until somebody resumes it. It finishes those it has.`,
      done: (name) => `${name} is draining.`,
      send: (id) => ask("drainWorker", { path: [id] }),
    },
    {
      verb: "resume",
      label: "Resume",
      icon: "play",
      done: (name) => `${name} takes runs again.`,
      send: (id) => ask("resumeWorker", { path: [id] }),
    },
  ],
  dead: [
    {
      verb: "discard",
      label: "Discard",
      icon: "trash",
      danger: true,
      confirm: (name) => `${name} is given up for good. The run itself stays in the history.`,
      done: (name) => `${name} is discarded.`,
      send: (id) => ask("discardLetter", { path: [id] }),
    },
  ],
  breaker: [
    {
      verb: "open",
      label: "Open",
      icon: "pause",
      confirm: (name) => `Runs of ${name} are held back until the breaker is closed.`,
      done: (name) => `The breaker of ${name} is open.`,
      send: (id) => ask("openBreaker", { path: [id] }),
    },
    {
      verb: "close",
      label: "Close",
      icon: "play",
      done: (name) => `The breaker of ${name} is closed.`,
      send: (id) => ask("closeBreaker", { path: [id] }),
    },
  ],
  token: [
    {
      verb: "revoke",
      label: "Revoke",
      icon: "trash",
      danger: true,
      confirm: (name) =>
        `Programs that use ${name} are refused from now on. This cannot be undone.`,
      done: (name) => `${name} is revoked.`,
      send: (id) => ask("revokeToken", { path: [id] }),
    },
  ],
  namespace: [
    {
      verb: "remove",
      label: "Remove",
      icon: "trash",
      danger: true,
      confirm: (name) =>
        `Namespace ${name} is removed. The server refuses while it still holds something.`,
      done: (name) => `${name} is removed.`,
      send: (id) => ask("removeNamespace", { path: [id] }),
    },
  ],
  template: [
    removal("Template", "Jobs that were made from it stay.", (name) =>
      ask("deleteTemplate", { path: [name] }),
    ),
  ],
  calendar: [
    removal("Calendar", "The server refuses while a schedule names it.", (name) =>
      ask("removeCalendar", { path: [name] }),
    ),
  ],
  blackout: [
    removal("Window", "What it holds back starts.", (name) =>
      ask("removeBlackout", { path: [name] }),
    ),
  ],
  monitor: [
    {
      verb: "ping",
      label: "Ping now",
      icon: "zap",
      confirm: (name) => `${name} counts a success, as if its job had pinged.`,
      done: (name) => `${name} was pinged.`,
      send: (id) => ask("pingMonitor", { path: [id] }),
    },
    {
      verb: "pause",
      label: "Pause",
      icon: "pause",
      note: true,
      confirm: (name) => `Nothing is expected of ${name} until it is resumed, or pings again.`,
      done: (name) => `${name} is paused.`,
      send: (id, note) => ask("pauseMonitor", { path: [id], body: note ? { note } : {} }),
    },
    {
      verb: "resume",
      label: "Resume",
      icon: "play",
      done: (name) => `${name} waits for its next ping.`,
      send: (id) => ask("resumeMonitor", { path: [id] }),
    },
    {
      verb: "rotate",
      label: "New address",
      icon: "ban",
      danger: true,
      submit: "Change the address",
      confirm: (name) =>
        `The present address of ${name} is unknown from now on; its job must ping the new one.`,
      done: (name) => `${name} has another address.`,
      send: (id) => ask("rotateMonitor", { path: [id] }),
    },
    removal("Monitor", "Its pings go with it, and its address is unknown from now on.", (name) =>
      ask("removeMonitor", { path: [name] }),
    ),
  ],
  alertRule: [
    removal("Alert rule", "Its open incidents are closed, and nobody is told.", (name) =>
      ask("removeAlertRule", { path: [name] }),
    ),
  ],
  alertChannel: [
    removal("Channel", "Messages to it that wait are given up.", (name) =>
      ask("removeAlertChannel", { path: [name] }),
    ),
  ],
  backfill: [
    {
      verb: "cancel",
      label: "Cancel",
      icon: "ban",
      danger: true,
      confirm: () => "The backfill makes no further runs. Those it made stay.",
      done: () => "The backfill is cancelled.",
      send: (id) => ask("stopBackfill", { path: [id] }),
    },
  ],
};

export function offered(subject: Subject, item: Acted): Action[] {
  return ACTIONS[subject].filter((action) => item.verbs?.includes(action.verb));
}

export function may(item: Acted | null | undefined, verb: string): boolean {
  return item?.verbs?.includes(verb) ?? false;
}
