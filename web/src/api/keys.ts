/**
 * Under which name each answer lies in the one cache.
 *
 * Who asks, who writes live changes into it and who asks again after an act take the name from here:
 * one that two places spell for themselves stops live changes without a word when it is renamed.
 */
export const keys = {
  session: ["session"],
  version: ["version"],
  overview: ["overview"],
  forecast: ["forecast"],
  runs: ["runs"],
  everyRun: ["run"],
  labels: ["labels"],
  views: ["views"],
  run: (id: string) => ["run", id],
  jobs: ["jobs"],
  job: (id: string) => ["job", id],
  templates: ["templates"],
  graphs: ["graphs"],
  graph: (name: string) => ["graph", name],
  schedules: ["schedules"],
  schedule: (name: string) => ["schedule", name],
  upcoming: ["upcoming"],
  backfills: ["backfills"],
  calendars: ["calendars"],
  blackouts: ["blackouts"],
  queues: ["queues"],
  queue: (name: string) => ["queue", name],
  workers: ["workers"],
  breakers: ["breakers"],
  deadGroups: ["dead-groups"],
  deadLetters: ["dead-letters"],
  deadLetter: (id: string) => ["dead-letter", id],
  audit: ["audit"],
  tokens: ["tokens"],
  namespaces: ["namespaces"],
  search: ["search"],
};

/** What changes when people do something, or code is deployed: each with all that begins so. */
export const DEFINED = [
  keys.jobs,
  ["job"],
  keys.templates,
  keys.graphs,
  ["graph"],
  keys.schedules,
  ["schedule"],
  keys.upcoming,
  keys.backfills,
  keys.calendars,
  keys.blackouts,
  keys.queues,
  ["queue"],
  keys.workers,
  keys.breakers,
  keys.deadGroups,
  keys.deadLetters,
  ["dead-letter"],
  keys.tokens,
  keys.namespaces,
  keys.everyRun,
];
