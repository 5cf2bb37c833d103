/**
 * How each verb is asked for: its words, its route, what it changes.
 *
 * Whether a verb is offered is not decided here: the API says so with each item (`verbs`), after the
 * caller's role and the item's state.
 */
import { at, post, remove } from "./client";
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
  | "namespace";

export interface Action {
  verb: string;
  label: string;
  icon: string;
  danger?: boolean;
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
    confirm: (name) => `${name} stops as soon as it can. What it has done already stays done.`,
    done: (name) => `${name} is being cancelled.`,
    send: (id) => post(at`/runs/${id}/cancel`),
  },
  {
    verb: "pause",
    label: "Pause",
    icon: "pause",
    done: (name) => `${name} starts no further steps.`,
    send: (id) => post(at`/runs/${id}/pause`),
  },
  {
    verb: "resume",
    label: "Resume",
    icon: "play",
    done: (name) => `${name} goes on.`,
    send: (id) => post(at`/runs/${id}/resume`),
  },
];

function pausable(noun: string, path: (id: string) => string, effect: string): Action[] {
  return [
    {
      verb: "pause",
      label: "Pause",
      icon: "pause",
      note: true,
      confirm: (name) => `${noun} ${name}: ${effect} until somebody resumes it.`,
      done: (name) => `${name} is paused.`,
      send: (id, note) => post(`${path(id)}/pause`, note ? { note } : {}),
    },
    {
      verb: "resume",
      label: "Resume",
      icon: "play",
      done: (name) => `${name} goes on.`,
      send: (id) => post(`${path(id)}/resume`),
    },
  ];
}

export const ACTIONS: Record<Subject, Action[]> = {
  run: RUN,
  job: [
    ...pausable("Job", (id) => at`/jobs/${id}`, "no run of it starts"),
    {
      verb: "delete",
      label: "Delete",
      icon: "trash",
      danger: true,
      confirm: (name) => `Job ${name} and its schedules are removed. Its past runs stay.`,
      done: (name) => `${name} is deleted.`,
      send: (id) => remove(at`/jobs/${id}`),
    },
  ],
  schedule: [
    {
      verb: "trigger",
      label: "Trigger now",
      icon: "zap",
      done: (name) => `${name} fired.`,
      send: (id) => post(at`/schedules/${id}/trigger`),
    },
    {
      verb: "unblock",
      label: "Unblock",
      icon: "play",
      done: (name) => `${name} goes on.`,
      send: (id) => post(at`/schedules/${id}/unblock`),
    },
    ...pausable("Schedule", (id) => at`/schedules/${id}`, "it does not fire"),
    {
      verb: "delete",
      label: "Delete",
      icon: "trash",
      danger: true,
      confirm: (name) => `Schedule ${name} never fires again. Its past runs stay.`,
      done: (name) => `${name} is deleted.`,
      send: (id) => remove(at`/schedules/${id}`),
    },
  ],
  queue: pausable("Queue", (id) => at`/queues/${id}`, "no run in it starts"),
  worker: [
    {
      verb: "drain",
      label: "Drain",
      icon: "drain",
      confirm: (name) =>
        `Worker ${name} takes no new runs until somebody resumes it. It finishes those it has.`,
      done: (name) => `${name} is draining.`,
      send: (id) => post(at`/workers/${id}/drain`),
    },
    {
      verb: "resume",
      label: "Resume",
      icon: "play",
      done: (name) => `${name} takes runs again.`,
      send: (id) => post(at`/workers/${id}/resume`),
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
      send: (id) => post(at`/dead-letters/${id}/discard`),
    },
  ],
  breaker: [
    {
      verb: "open",
      label: "Open",
      icon: "pause",
      confirm: (name) => `Runs of ${name} are held back until the breaker is closed.`,
      done: (name) => `The breaker of ${name} is open.`,
      send: (id) => post(at`/breakers/${id}/open`),
    },
    {
      verb: "close",
      label: "Close",
      icon: "play",
      done: (name) => `The breaker of ${name} is closed.`,
      send: (id) => post(at`/breakers/${id}/close`),
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
      send: (id) => remove(at`/tokens/${id}`),
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
      send: (id) => remove(at`/namespaces/${id}`),
    },
  ],
  backfill: [
    {
      verb: "cancel",
      label: "Cancel",
      icon: "ban",
      danger: true,
      confirm: () => "The backfill makes no further runs. Those it made stay.",
      done: () => "The backfill is cancelled.",
      send: (id) => post(at`/backfills/${id}/cancel`),
    },
  ],
};

export function offered(subject: Subject, item: Acted): Action[] {
  return ACTIONS[subject].filter((action) => item.verbs?.includes(action.verb));
}

export function may(item: Acted | null | undefined, verb: string): boolean {
  return item?.verbs?.includes(verb) ?? false;
}
