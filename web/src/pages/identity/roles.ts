/** What each role may do, in words; the server says who has which. */

/** Each includes those before it; a worker's token is for nothing else. */
export const LEVELS = [
  ["viewer", "looks at everything"],
  ["operator", "also submits, cancels, reruns, pauses"],
  ["author", "also defines jobs and schedules"],
  ["admin", "also gives out tokens, reads the audit"],
  ["worker", "nothing but carrying out runs of the queues below"],
] as const;

/** Beside one of them. */
export const EXTRAS = [
  ["exec", "may define jobs that run programs"],
  ["audit", "reads the audit"],
] as const;
