/** Made by `npm run api` from the description of the API; do not edit. */

export interface Page<Item> {
  items: Array<Item>;
  next: string | null;
}

export type AlertChannelBody = {
  url: string;
  secret?: string | null;
  note?: string;
};

export type AlertChannelView = {
  name: string;
  kind: "webhook" | "email" | "slack" | "apprise";
  url: string;
  isSigned: boolean;
  note: string;
  waiting: number;
  sentAt: string | null;
  failedAt: string | null;
  error: string | null;
  verbs: Array<string>;
};

export type AlertRuleBody = {
  on: Array<"run.failed" | "cause.new" | "schedule.paused" | "schedule.late" | "breaker.open" | "queue.unserved" | "queue.paused" | "worker.lost" | "monitor.down" | "deadline.missed" | "deadline.at_risk" | "schedule.missed" | "security.sign_in" | "security.token" | "security.audit">;
  to: Array<string>;
  jobs?: Array<string>;
  queues?: Array<string>;
  severity?: "info" | "warning" | "error" | "critical";
  group?: "job" | "cause" | "rule";
  after?: number;
  window?: string;
  repeat?: string | null;
  recovery?: boolean;
  quiet?: QuietHours | null;
  atMost?: number;
  enabled?: boolean;
  note?: string;
};

export type AlertRuleView = {
  name: string;
  on: Array<string>;
  to: Array<string>;
  jobs: Array<string>;
  queues: Array<string>;
  severity: "info" | "warning" | "error" | "critical";
  group: "job" | "cause" | "rule";
  after: number;
  window: string;
  repeat: string | null;
  recovery: boolean;
  quiet: QuietHours | null;
  atMost: number;
  enabled: boolean;
  note: string;
  open: number;
  missing: Array<string>;
  verbs: Array<string>;
};

export type AnchorBody = {
  seq: number;
  hash: string;
  at: string;
  keptUntil?: string | null;
};

export type AnyOf = {
  triggers: Array<Cron | Every | CalendarEvery | At | Rrule | BusinessDay | OnEvent | AnyOf | Unless>;
  type: "any_of";
};

export type At = {
  times: Array<string>;
  type: "at";
};

export type AttemptBody = {
  runId: string;
  fence: number;
  token: string;
};

export type AttemptView = {
  number: number;
  kind: string;
  claim: number;
  workerId: string | null;
  startedAt: string | null;
  endedAt: string;
  error: ErrorView | null;
};

export type AuditEntry = {
  id: string;
  at: string;
  who: string;
  verb: string;
  subject: string;
  detail: Record<string, unknown>;
  address: string | null;
  requestId: string | null;
  before: string | null;
  after: string | null;
  seq: number | null;
  hash: string | null;
  subjectName: string | null;
};

export type BackfillBody = {
  from: string;
  until: string;
  order?: "oldest" | "newest";
  reprocess?: "missing" | "failed" | "all";
  concurrency?: number | null;
  args?: Record<string, unknown> | null;
  most?: number;
  dryRun?: boolean;
};

export type BackfillInstant = {
  at: string;
  starts: boolean;
  state: string | null;
};

export type BackfillStart = {
  dryRun: boolean;
  backfill: BackfillView | null;
  planned: Array<BackfillInstant>;
  instants: number;
};

export type BackfillStopped = {
  id: string;
  state: "cancelled";
};

export type BackfillView = {
  id: string;
  schedule: string | null;
  from: string;
  until: string;
  order: "oldest" | "newest";
  reprocess: "missing" | "failed" | "all";
  concurrency: number | null;
  state: "active" | "done" | "cancelled" | "error";
  note: string | null;
  total: number;
  seen: number;
  started: number;
  succeeded: number;
  failed: number;
  live: number;
  createdAt: string;
  endedAt: string | null;
  verbs: Array<string>;
};

export type Beaten = {
  lost: Array<string>;
  cancelled: Array<string>;
  strays: Array<Stray>;
  recalls: boolean;
  draining: boolean;
};

export type BegunBody = {
  runId: string;
  fence: number;
  token: string;
  heldMs: number;
};

export type BlackoutBody = {
  kind: "skip" | "defer" | "drain";
  start?: string | null;
  end?: string | null;
  trigger?: string | Record<string, unknown> | null;
  duration?: string | null;
  zone?: string;
  job?: string | null;
  queue?: string | null;
  note?: string;
};

export type BlackoutView = {
  name: string;
  kind: "skip" | "defer" | "drain";
  start: string | null;
  end: string | null;
  trigger: Cron | Every | CalendarEvery | At | Rrule | BusinessDay | OnEvent | AnyOf | Unless | null;
  duration: string | null;
  zone: string;
  job: string | null;
  queue: string | null;
  note: string;
  description: string;
  beginsAt: string | null;
  endsAt: string | null;
  isNow: boolean;
  verbs: Array<string>;
};

export type BlankBody = {
  type?: "string" | "integer" | "number" | "boolean";
  default?: string | number | boolean | null;
  choices?: Array<string | number | boolean>;
  description?: string;
};

export type Breaker = {
  share: number;
  least: number;
  window: string | number;
  cool: string | number;
  cool_cap: string | number;
  pauses: boolean;
};

export type BreakerBody = {
  share: number;
  least: number;
  window?: string | number;
  cool?: string | number;
  coolCap?: string | number;
  pauses?: boolean;
};

export type BreakerChange = {
  job: string;
  state: "open" | "closed";
  changed: boolean;
};

export type BreakerView = {
  job: string;
  state: "closed" | "open" | "half_open";
  rule: string | null;
  good: number;
  bad: number;
  held: number;
  openedAt: string | null;
  probeAt: string | null;
  probeId: string | null;
  stays: boolean;
  note: string | null;
  changedAt: string;
  verbs: Array<string>;
};

export type BulkActBody = {
  ids?: Array<string> | null;
  filter?: FilterBody | null;
  dryRun?: boolean;
  reason?: string | null;
};

export type BulkBody = {
  runs: Array<SubmitBody>;
};

export type BulkDone = {
  matched: number;
  done: number;
  more: boolean;
  dryRun: boolean;
};

export type BusinessDay = {
  nth: number;
  time: string;
  type: "business_day";
};

export type Cache = {
  key: unknown;
  ttl: string | null;
};

export type Calendar = {
  country: string | null;
  weekend: Array<number>;
  off: Array<string>;
  on: Array<string>;
};

export type CalendarBody = {
  country?: string | null;
  weekend?: Array<number>;
  off?: Array<string>;
  on?: Array<string>;
};

export type CalendarDayOff = {
  day: string;
  calendar: string;
  why: string;
};

export type CalendarEvery = {
  start: string;
  days: number;
  weeks: number;
  months: number;
  years: number;
  type: "calendar";
};

export type CalendarView = {
  name: string;
  version: number;
  country: string | null;
  weekend: Array<number>;
  off: Array<string>;
  on: Array<string>;
  verbs: Array<string>;
};

export type CancelRunBody = {
  reason?: string | null;
  force?: boolean;
};

export type ChainVerdict = {
  isGood: boolean;
  acts: number;
  seq: number;
  hash: string;
  says: string;
  anchors: number;
};

export type Change = {
  kind: "calendar" | "blackout" | "alert channel" | "alert rule" | "job" | "graph" | "schedule";
  name: string;
  verb: "add" | "change" | "remove";
  fields: Array<FieldChange>;
};

export type ChangeNamespaceBody = {
  note?: string;
  quotas?: QuotasBody | null;
};

export type CheckpointBody = {
  runId: string;
  fence: number;
  token: string;
  state: string;
};

export type CheckpointState = {
  state: string | null;
};

export type ChunkBody = {
  runId: string;
  fence: number;
  token: string;
  seq: number;
  firstAt: number;
  marks: string;
  body: string;
};

export type ClaimBody = {
  limit: number;
  held?: Array<AttemptBody> | null;
  hearsStrays?: boolean;
  ahead?: number;
  takes?: Record<string, string> | null;
};

export type Claimed = {
  runs: Array<ClaimedRun>;
  definitions: Array<Definition>;
  strays: Array<Stray>;
  draining: boolean;
};

export type ClaimedRun = {
  runId: string;
  fence: number;
  token: string;
  attempt: number;
  job: string;
  version: number;
  queue: string;
  args: string;
  policy: string | null;
  failures: number;
  crashes: number;
  atMostOnce: boolean;
  dueAt: number;
  claimedAt: number;
  origin: string | null;
  parentId: string | null;
  node: string | null;
  item: number | null;
  isHeld: boolean;
};

export type ClockShift = {
  at: string;
  zone: string;
  seconds: number;
};

export type CommandTarget = {
  argv: Array<string>;
  env: Record<string, string>;
  cwd: string | null;
  ok_codes: Array<number>;
  retry_codes: Array<number> | null;
  type: "command";
};

export type Concern = {
  kind: "unserved" | "paused" | "held" | "silent" | "lost" | "overdue";
  subject: string;
  says: string;
  advice: string;
  runs: number;
  since: string | null;
  note: string | null;
};

export type CreateNamespaceBody = {
  name: string;
  note?: string;
  quotas?: QuotasBody | null;
};

export type CreateTokenBody = {
  name: string;
  roles: Array<string>;
  queues?: Array<string> | null;
  expires?: string | null;
};

export type Cron = {
  expression: string;
  dialect: "vixie" | "quartz" | "kubernetes";
  type: "cron";
};

export type DayCounts = {
  day: string;
  success: number;
  failed: number;
};

export type Definition = {
  version: number;
  origin: string;
  spec: JobSpec;
};

export type DefinitionView = {
  name: string;
  kind: "command" | "http" | "python" | "graph";
  command: Array<string> | null;
  env: Record<string, string> | null;
  cwd: string | null;
  http: HttpBody | null;
  function: string | null;
  dependencies: Array<string>;
  queue: string;
  priority: number;
  retries: number;
  backoff: "none" | "fixed" | "exponential" | "custom";
  retryDelay: number;
  retryCap: number;
  retryWithin: number | null;
  jitter: number;
  breaker: BreakerBody | null;
  timeout: number | null;
  expires: number | null;
  onFailure: string | null;
  deadline: string | null;
  schedule: Record<string, unknown> | null;
  arguments: Record<string, unknown>;
  labels: Record<string, string | number | boolean>;
};

export type DiscardLetterBody = {
  reason?: string | null;
};

export type Discarded = {
  discarded: number;
  left: number;
};

export type Done = {
  workerId: string;
};

export type DrainState = {
  id: string;
  draining: boolean;
};

export type EffectBody = {
  runId: string;
  fence: number;
  token: string;
  verb: "intend" | "settle" | "retract";
  name: string;
  result?: string | null;
  argsDigest?: string | null;
};

export type EffectState = {
  isNew: boolean;
  isSettled: boolean;
  result: string | null;
  keyRun: string | null;
};

export type EffectView = {
  executionId: string;
  job: string;
  name: string;
  state: "under_way" | "in_doubt" | "done" | "not_done" | "taken_up";
  idempotencyKey: string;
  intendedAt: string;
  settledAt: string | null;
  result: unknown | null;
  decidedBy: string | null;
  takenBy: string | null;
  graphId: string | null;
  verbs: Array<string>;
};

export type EndBody = {
  runId: string;
  fence: number;
  token: string;
  ending: "returned" | "raised" | "crashed" | "stopped";
  began?: boolean;
  heldMs?: number | null;
  leftBehind?: boolean;
  result?: string | null;
  error?: ErrorDetail | null;
  types?: Array<string>;
  retryAfterMs?: number | null;
  customDelayMs?: number | null;
  wantsRetry?: boolean;
  givesUp?: boolean;
  reason?: string | null;
  why?: "timeout" | "cancel" | "drain" | "cut_off" | null;
  misfit?: boolean;
};

export type ErrorDetail = {
  type: string;
  message: string;
  traceback?: string;
  worker?: string;
  asked_ms?: number;
};

export type ErrorView = {
  type: string;
  message: string;
  traceback: string;
};

export type Every = {
  every: string;
  anchor: string | null;
  from_end: boolean;
  type: "every";
};

export type FailureCause = {
  fingerprint: string;
  job: string;
  error: string;
  count: number;
  firstAt: string;
  lastAt: string;
  versions: Array<number>;
};

export type FieldChange = {
  field: string;
  old: unknown;
  new: unknown;
};

export type FileBody = {
  name: string;
  text: string;
};

export type FilesBody = {
  files: Array<FileBody>;
  prune?: boolean;
  takeOver?: boolean;
  since?: string | null;
  horizon?: string | number;
};

export type FilterBody = {
  status?: State | null;
  jobId?: string | null;
  queue?: string | null;
  schedule?: string | null;
  error?: string | null;
  text?: string | null;
  since?: string | null;
  until?: string | null;
  label?: Array<string>;
  arg?: Array<string>;
  scheduledSince?: string | null;
  scheduledUntil?: string | null;
  view?: string | null;
  steps?: boolean;
};

export type FinishBody = {
  ended: Array<EndBody>;
};

export type Finished = {
  lost: Array<string>;
};

export type FiringView = {
  at: string;
  kind: string;
  decision: string;
  decidedAt: string;
  executionId: string | null;
  state: string | null;
};

export type Forecast = {
  buckets: Array<ForecastHour>;
  isCut: boolean;
};

export type ForecastHour = {
  at: string;
  runs: number;
  busyMs: number;
  unknown: number;
};

export type FoundLine = {
  attempt: number;
  claim: number;
  seq: number;
  at: string;
  level: "debug" | "info" | "warning" | "error" | "critical";
  stream: "stdout" | "stderr" | "log";
  text: string;
  executionId: string;
  jobId: string;
};

export type Graph = {
  name: string;
  nodes: Array<Node>;
  parameters: Record<string, Parameter>;
  result: unknown;
  description: string;
  mode: "ignore" | "finish" | "fail_fast";
  timeout: string | null;
  retries: number;
  max_nodes: number | null;
  max_runs: number | null;
  depends_on_past: boolean;
};

export type GraphEdge = {
  from: string;
  to: string;
  when: string | null;
};

export type GraphItem = {
  description: string;
  nodes: number;
  pausedRuns: number;
  jobId: string;
  name: string;
  kind: "command" | "http" | "python" | "graph";
  queue: string;
  version: number;
  origin: string;
  createdAt: string;
  paused: boolean;
  note: string | null;
  breaker: "closed" | "open" | "half_open" | null;
  weights: Record<string, number>;
  schedules: number;
  nextFireAt: string | null;
  last: Array<RunOutcome>;
  successRate: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  running: number;
  queued: number;
  verbs: Array<string>;
  labels: Record<string, string | number | boolean>;
};

export type GraphTarget = {
  graph: Graph;
  type: "graph";
};

export type GraphView = {
  name: string;
  version: number;
  description: string;
  origin: string;
  queue: string;
  mode: "ignore" | "finish" | "fail_fast";
  timeout: string | null;
  retries: number;
  maxNodes: number | null;
  maxRuns: number | null;
  dependsOnPast: boolean;
  parameters: Record<string, unknown>;
  nodes: Array<NodeDefinition>;
  edges: Array<GraphEdge>;
  verbs: Array<string>;
};

export type Grid = {
  runs: Array<GridRun>;
  nodes: Array<string>;
  cells: Record<string, Record<string, string>>;
};

export type GridRun = {
  executionId: string;
  state: State;
  version: number;
  scheduledFor: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
};

export type Heard = {
  schedule: string;
  decision: string;
  executionId: string | null;
};

export type HeartbeatBody = {
  held?: Array<AttemptBody>;
  progress?: Array<ProgressBody>;
  begun?: Array<BegunBody>;
  running?: number | null;
  leftBehind?: number;
  draining?: boolean;
  stored?: boolean;
  hearsStrays?: boolean;
};

export type HttpBody = {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | null;
  expect?: Array<number>;
};

export type HttpTarget = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  expect: Array<number>;
  allow_private: boolean;
  type: "http";
};

export type IncidentView = {
  id: string;
  rule: string;
  kind: string;
  subject: string;
  severity: "info" | "warning" | "error" | "critical";
  title: string;
  advice: string | null;
  job: string | null;
  queue: string | null;
  runId: string | null;
  state: "open" | "closed";
  openedAt: string;
  lastAt: string;
  closedAt: string | null;
  messages: number;
  toldAt: string | null;
  runs: number | null;
};

export type InstantiateTemplateBody = {
  parameters?: Record<string, unknown> | null;
};

export type JobBody = {
  name: string;
  command?: string | Array<string> | null;
  http?: HttpBody | null;
  schedule?: string | Record<string, unknown> | null;
  timezone?: string | null;
  dependencies?: Array<string>;
  env?: Record<string, string>;
  cwd?: string | null;
  arguments?: Record<string, unknown>;
  queue?: string | null;
  priority?: number | "high" | "medium" | "low" | null;
  expires?: string | number | null;
  timeout?: string | number | null;
  deadline?: string | number | null;
  retries?: number | null;
  backoff?: "exponential" | "fixed" | "none" | null;
  retryDelay?: string | number | null;
  retryCap?: string | number | null;
  jitter?: number | null;
  retryWithin?: string | number | null;
  onFailure?: string | null;
  labels?: Record<string, unknown> | null;
  breaker?: string | BreakerBody | null;
};

export type JobDetail = {
  status: string;
  startedAt: string | null;
  progress: number | null;
  executionId: string | null;
  priority: number;
  retries: number;
  timeout: number | null;
  command: Array<string> | null;
  url: string | null;
  dependencies: Array<string>;
  parameters: Record<string, string>;
  scheduleNames: Array<string>;
  definition: DefinitionView;
  jobId: string;
  name: string;
  kind: "command" | "http" | "python" | "graph";
  queue: string;
  version: number;
  origin: string;
  createdAt: string;
  paused: boolean;
  note: string | null;
  breaker: "closed" | "open" | "half_open" | null;
  weights: Record<string, number>;
  schedules: number;
  nextFireAt: string | null;
  last: Array<RunOutcome>;
  successRate: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  running: number;
  queued: number;
  verbs: Array<string>;
  labels: Record<string, string | number | boolean>;
};

export type JobEntry = {
  spec: JobSpec | null;
  jobId: string;
  name: string;
  kind: "command" | "http" | "python" | "graph";
  queue: string;
  version: number;
  origin: string;
  createdAt: string;
  paused: boolean;
  note: string | null;
  breaker: "closed" | "open" | "half_open" | null;
  weights: Record<string, number>;
  schedules: number;
  nextFireAt: string | null;
  last: Array<RunOutcome>;
  successRate: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  running: number;
  queued: number;
  verbs: Array<string>;
  labels: Record<string, string | number | boolean>;
};

export type JobFound = {
  jobId: string;
  kind: "command" | "http" | "python" | "graph";
  queue: string;
  version: number;
};

export type JobMade = {
  jobId: string;
  status: string;
  version: number;
};

export type JobPaused = {
  jobId: string;
  status: "paused" | "active";
  note: string | null;
};

export type JobRemoved = {
  jobId: string;
  status: "deleted";
};

export type JobSpec = {
  name: string;
  target: PythonTarget | CommandTarget | HttpTarget | GraphTarget;
  queue: string;
  priority: number;
  retry: RetryPolicy;
  timeout_ms: number | null;
  expires_ms: number | null;
  deadline: string;
  delivery: "at_least_once" | "at_most_once";
  isolation: "thread" | "process";
  memory_mb: number | null;
  max_crashes: number;
  max_losses: number;
  breaker: Breaker | null;
  dependencies: Array<string>;
  on_failure: string;
  cache: Cache | null;
  parameters: Record<string, string>;
  defaults: Record<string, unknown>;
  schemas: Record<string, Record<string, unknown>>;
  more: string;
  description: string;
  labels: Record<string, string | number | boolean>;
};

export type JobStatistics = {
  windowMs: number;
  spanMs: number;
  buckets: Array<TimeBucket>;
  days: Array<DayCounts>;
  successRate: number | null;
  retryRate: number | null;
  durations: Quantiles;
  waits: Quantiles;
};

export type JobWeights = {
  jobId: string;
  weights: Record<string, number>;
};

export type KnownLabel = {
  name: string;
  value: string | null;
};

export type LabelBody = {
  runId: string;
  fence: number;
  token: string;
  labels: Record<string, string | number | boolean | null>;
};

export type LabelRunBody = {
  labels: Record<string, unknown>;
  reason?: string | null;
};

export type LabelState = {
  labels: Record<string, string | number | boolean>;
};

export type Lag = {
  p50: number | null;
  p99: number | null;
};

export type Leftover = {
  kind: "calendar" | "blackout" | "alert channel" | "alert rule" | "job" | "graph" | "schedule";
  name: string;
};

export type LetterGroup = {
  group: string;
  job: string;
  errorType: string;
  message: string;
  reason: string | null;
  open: number;
  total: number;
  firstAt: string;
  lastAt: string;
  versions: Array<number>;
  verbs: Array<string>;
};

export type LetterView = {
  executionId: string;
  job: string;
  version: number;
  group: string;
  errorType: string;
  message: string;
  reason: string | null;
  diedAt: string;
  state: "open" | "redriven" | "discarded";
  actedAt: string | null;
  actedBy: string | null;
  rerunId: string | null;
  verbs: Array<string>;
};

export type LettersBody = {
  group?: string | null;
  ids?: Array<string> | null;
  reason?: string | null;
};

export type LineFound = {
  executionId: string;
  jobId: string;
  at: string;
  level: string;
  text: string;
};

export type LogLine = {
  attempt: number;
  claim: number;
  seq: number;
  at: string;
  level: "debug" | "info" | "warning" | "error" | "critical";
  stream: "stdout" | "stderr" | "log";
  text: string;
};

export type LogsBody = {
  chunks: Array<ChunkBody>;
};

export type Map = {
  over: unknown;
  into: string | null;
  batch: number;
  concurrency: number | null;
  tolerate: number | string;
};

export type MapDefinition = {
  over: unknown;
  batch: number;
  concurrency: number | null;
  tolerate: number | string;
};

export type MapProgress = {
  total: number;
  done: number;
  failed: number;
  running: number;
  made: number | null;
  kept: number;
};

export type MarkBody = {
  node: string;
  as: "success" | "failed" | "skipped";
  reason?: string | null;
};

export type MessageView = {
  id: string;
  channel: string;
  rule: string | null;
  kind: "opened" | "reminder" | "recovered" | "digest" | "test";
  title: string;
  state: "waiting" | "sent" | "given_up";
  at: string;
  tries: number;
  nextAt: string | null;
  sentAt: string | null;
  error: string | null;
};

export type MonitorBody = {
  every?: string | null;
  cron?: string | null;
  dialect?: "vixie" | "quartz" | "kubernetes";
  zone?: string;
  grace?: string;
  manualResume?: boolean;
  note?: string;
};

export type MonitorView = {
  name: string;
  state: "new" | "up" | "late" | "down" | "paused" | "started";
  reason: string | null;
  every: string | null;
  cron: string | null;
  dialect: "vixie" | "quartz" | "kubernetes";
  zone: string;
  grace: string;
  manualResume: boolean;
  note: string;
  description: string;
  path: string;
  slugPath: string;
  isMasked: boolean;
  lastAt: string | null;
  lastDurationMs: number | null;
  startedAt: string | null;
  expectedAt: string | null;
  downAt: string | null;
  pings: number;
  changedAt: string;
  recent: Array<PingMark>;
  verbs: Array<string>;
};

export type Namespace = {
  name: string;
  note: string;
  quotas: Quotas;
  createdAt: string | null;
  verbs: Array<string>;
};

export type NamespaceGone = {
  name: string;
};

export type NewTokenView = {
  id: string;
  namespace: string;
  name: string;
  prefix: string;
  roles: Array<"viewer" | "operator" | "author" | "admin" | "exec" | "audit" | "worker">;
  queues: Array<string> | null;
  createdAt: string;
  createdBy: string;
  expiresAt: string | null;
  usedAt: string | null;
  revokedAt: string | null;
  revokedBy: string | null;
  verbs: Array<string>;
  token: string | null;
};

export type NextFiring = {
  at: string;
  local: string;
  mark: "gap" | "fold" | "holiday" | null;
  marks: Array<string>;
};

export type Node = {
  name: string;
  job: string | null;
  graph: string | null;
  args: Record<string, unknown>;
  after: Array<string>;
  join: "all_success" | "all_failed" | "all_done" | "all_done_setup_success" | "all_done_min_one_success" | "all_skipped" | "one_failed" | "one_success" | "one_done" | "none_failed" | "none_failed_min_one_success" | "none_skipped" | "always";
  when: string | null;
  map: Map | null;
  kind: "work" | "branch" | "short_circuit" | "setup" | "teardown" | "notify";
  setups: Array<string>;
  fails_run: boolean;
  group: string | null;
  retries: number | null;
  timeout: string | null;
  queue: string | null;
  priority: number | "critical_path" | null;
  isolation: "thread" | "process" | null;
  cache: Cache | null;
};

export type NodeDefinition = {
  name: string;
  job: string;
  isGraph: boolean;
  group: string | null;
  kind: "work" | "branch" | "short_circuit" | "setup" | "teardown" | "notify";
  join: "all_success" | "all_failed" | "all_done" | "all_done_setup_success" | "all_done_min_one_success" | "all_skipped" | "one_failed" | "one_success" | "one_done" | "none_failed" | "none_failed_min_one_success" | "none_skipped" | "always";
  when: string | null;
  map: MapDefinition | null;
  level: number;
  retries: number | null;
  timeout: string | null;
};

export type NodeView = {
  name: string;
  job: string;
  state: string;
  standing: string | null;
  group: string | null;
  kind: "work" | "branch" | "short_circuit" | "setup" | "teardown" | "notify";
  join: "all_success" | "all_failed" | "all_done" | "all_done_setup_success" | "all_done_min_one_success" | "all_skipped" | "one_failed" | "one_success" | "one_done" | "none_failed" | "none_failed_min_one_success" | "none_skipped" | "always";
  level: number;
  isGraph: boolean;
  runStatus: string | null;
  parents: Array<string>;
  runId: string | null;
  createdAt: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  durationMs: number | null;
  attempt: number | null;
  reason: string | null;
  cached: string | null;
  map: MapProgress | null;
  critical: boolean;
  verbs: Array<string>;
};

export type OnEvent = {
  event: string;
  type: "event";
};

export type OpenBreakerBody = {
  note?: string | null;
};

export type Overview = {
  at: string;
  windowMs: number;
  spanMs: number;
  throughput: Array<TimeBucket>;
  successRate: number | null;
  retryRate: number | null;
  queueDepth: number;
  queueDepthIsCut: boolean;
  oldestWaitMs: number | null;
  running: number;
  slots: number;
  utilisation: number | null;
  workers: WorkerCounts;
  durations: Quantiles;
  waits: Quantiles;
  scheduleLagMs: Lag;
  failures: Array<FailureCause>;
  attention: Array<Concern>;
  dueNextHour: number;
};

export type Parameter = {
  type: string;
  default: unknown;
};

export type ParameterSchema = {
  $schema: string;
  title: string;
  type: "object";
  properties: Record<string, Record<string, unknown>>;
  additionalProperties: Record<string, unknown> | boolean;
  required: Array<string>;
};

export type PauseJobBody = {
  note?: string | null;
};

export type PauseMonitorBody = {
  note?: string | null;
};

export type PauseQueueBody = {
  note?: string | null;
};

export type PauseRunBody = {
  reason?: string | null;
};

export type PauseScheduleBody = {
  note?: string | null;
};

export type PingDetail = {
  number: number;
  kind: "success" | "start" | "fail" | "log";
  at: string;
  exitStatus: number | null;
  rid: string | null;
  durationMs: number | null;
  method: string;
  address: string;
  agent: string;
  size: number;
  body: string;
  isCut: boolean;
};

export type PingKeyView = {
  path: string;
};

export type PingMark = {
  kind: "success" | "start" | "fail" | "log";
  at: string;
  exitStatus: number | null;
  durationMs: number | null;
};

export type PingMonitorBody = {
  kind?: "success" | "start" | "fail" | "log";
  exitStatus?: number | null;
};

export type PingView = {
  number: number;
  kind: "success" | "start" | "fail" | "log";
  at: string;
  exitStatus: number | null;
  rid: string | null;
  durationMs: number | null;
  method: string;
  address: string;
  agent: string;
  size: number;
};

export type Plan = {
  applied: boolean;
  changes: Array<Change>;
  unchanged: number;
  leftovers: Array<Leftover>;
  runs: Array<RunChange>;
  until: string;
  cut: Array<string>;
};

export type PreviewBody = {
  expression?: string | null;
  trigger?: Record<string, unknown> | null;
  dialect?: "vixie" | "quartz" | "kubernetes" | null;
  zone?: string | null;
  gap?: "cron" | "next" | "skip" | "same" | null;
  fold?: "cron" | "first" | "second" | "both" | null;
  calendar?: string | Record<string, unknown> | null;
  roll?: "skip" | "next" | "previous" | "modified_following" | null;
  name?: string;
  from?: string | null;
  until?: string | null;
  count?: number;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  remedy: string;
  requestId?: string;
  facts?: Record<string, string | number>;
};

export type Progress = {
  done: number;
  total: number;
  byState: Record<string, number>;
  percent: number | null;
  share: number;
  estimateMs: number | null;
  endsAt: string | null;
  unknown: number;
  criticalPath: Array<string>;
};

export type ProgressBody = {
  runId: string;
  fence: number;
  token: string;
  fraction: number;
  note?: string;
};

export type PythonTarget = {
  ref: string;
  is_async: boolean;
  type: "python";
};

export type Quantiles = {
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
};

export type QueueDetail = {
  name: string;
  queued: number;
  scheduled: number;
  isCut: boolean;
  running: number;
  held: number;
  oldestWaitMs: number | null;
  ratePerMin: number;
  workers: number;
  slots: number;
  paused: boolean;
  note: string | null;
  verbs: Array<string>;
  limits: Array<QueueLimit>;
  windowMs: number;
  buckets: Array<TimeBucket>;
  successRate: number | null;
  durations: Quantiles;
  waits: Quantiles;
};

export type QueueLimit = {
  kind: "paused" | "window" | "slots" | "quota" | "breaker";
  says: string;
  used: number | null;
  most: number | null;
  stops: boolean;
};

export type QueueState = {
  name: string;
  paused: boolean;
  note: string | null;
};

export type QueueView = {
  name: string;
  queued: number;
  scheduled: number;
  isCut: boolean;
  running: number;
  held: number;
  oldestWaitMs: number | null;
  ratePerMin: number;
  workers: number;
  slots: number;
  paused: boolean;
  note: string | null;
  verbs: Array<string>;
};

export type QuietHours = {
  begin: string;
  end: string;
  zone?: string;
};

export type Quotas = {
  queued: number | null;
  running: number | null;
  rate: number | null;
  payload: number | null;
};

export type QuotasBody = {
  queued?: number | null;
  running?: number | null;
  rate?: number | null;
  payload?: number | null;
};

export type Reason = {
  kind: "ended" | "running" | "silent_worker" | "cancel_requested" | "waits" | "paused" | "no_worker" | "unserved_queue" | "unknown_job" | "draining" | "ahead" | "busy" | "overdue" | "ready" | "blocked" | "held" | "window" | "quota" | "stalled";
  says: string;
  count: number | null;
  until: string | null;
};

export type RedriveBody = {
  group?: string | null;
  ids?: Array<string> | null;
  reason?: string | null;
  args?: Record<string, unknown> | null;
  rate?: string | null;
  cursor?: string | null;
};

export type RedriveLetterBody = {
  args?: Record<string, unknown> | null;
  reason?: string | null;
};

export type Redriven = {
  executionId: string;
  rerunId: string;
  isNew: boolean;
};

export type RedrivenMany = {
  items: Array<Redriven>;
  left: number;
  next: string | null;
};

export type RegisterBody = {
  workerId: string;
  name: string;
  host: string;
  pid: number;
  version: string;
  slots: number;
  jobs: Array<string>;
  queues?: Array<string> | null;
  stored?: boolean;
  replaces?: Array<string>;
};

export type Registered = {
  workerId: string;
  namespace: string;
  queues: Array<string>;
  leaseMs: number;
  heartbeatMs: number;
  unknownJobs: Array<string>;
  hearsBegins: boolean;
  tellsStrays: boolean;
  hearsTakes: boolean;
};

export type Release = {
  number: number;
  app: string | null;
  label: string | null;
  jobs: Record<string, number>;
  schedules: Array<string>;
  seenAt: string;
  usedAt: string;
  usedBy: string;
  holds: boolean;
  verbs: Array<string>;
};

export type Removed = {
  name: string;
  removed: boolean;
};

export type RerunRunBody = {
  reason?: string | null;
  args?: Record<string, unknown> | null;
  fromFailed?: boolean;
  fromNode?: string | null;
  downstream?: boolean;
  allNodes?: boolean;
};

export type ResumeRunBody = {
  reason?: string | null;
};

export type RetryPolicy = {
  limit: number;
  backoff: "none" | "fixed" | "exponential" | "custom";
  delay_ms: number;
  factor: number;
  cap_ms: number;
  jitter: number;
  within_ms: number | null;
  retry_on: Array<string>;
  give_up_on: Array<string>;
};

export type RollBackJobBody = {
  version: number;
};

export type RotateTokenBody = {
  overlap?: string;
  expires?: string | null;
};

export type Rrule = {
  rule: string;
  start: string;
  type: "rrule";
};

export type RunChange = {
  schedule: string;
  verb: "add" | "remove" | "move";
  old: string | null;
  new: string | null;
};

export type RunFound = {
  executionId: string;
  jobId: string;
  status: State;
  queue: string;
  key: string | null;
  createdAt: string;
  finishedAt: string | null;
};

export type RunGraph = {
  nodes: Array<NodeView>;
  edges: Array<GraphEdge>;
};

export type RunLabels = {
  runId: string;
  labels: Record<string, string | number | boolean>;
};

export type RunNodes = {
  graph: RunGraph | null;
  paused: boolean;
  progress: Progress;
  verbs: Array<string>;
};

export type RunOutcome = {
  executionId: string;
  state: State;
  startedAt: string | null;
  durationMs: number | null;
};

export type RunState = {
  executionId: string;
  status: State;
};

export type RunView = {
  executionId: string;
  jobId: string;
  version: number;
  status: State;
  queue: string;
  priority: number;
  args: unknown;
  attempt: number;
  failures: number;
  crashes: number;
  createdAt: string;
  dueAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  progress: number | null;
  progressNote: string | null;
  result: unknown | null;
  error: ErrorView | null;
  reason: string | null;
  cancelRequested: boolean;
  workerId: string | null;
  key: string | null;
  rerunOf: string | null;
  parentId: string | null;
  node: string | null;
  scheduleId: string | null;
  state: State;
  item: number | null;
  schedule: string | null;
  scheduledFor: string | null;
  durationMs: number | null;
  verbs: Array<string>;
  namespace: string;
  readyAt: string;
  claim: number;
  atMostOnce: boolean;
  backfillId: string | null;
  origin: unknown | null;
  policy: unknown | null;
  held: boolean;
  obstacle: string | null;
  tally: Record<string, number>;
  failureOf: string | null;
  onFailureRun: string | null;
  paused: boolean;
  labels: Record<string, string | number | boolean>;
  deadline: string | null;
  deadlineMissed: boolean;
};

export type Rung = {
  rung: boolean;
};

export type SavedFilter = {
  status: State | null;
  jobId: string | null;
  queue: string | null;
  schedule: string | null;
  error: string | null;
  text: string | null;
  label: Array<string>;
  arg: Array<string>;
  since: string | null;
  until: string | null;
  scheduledSince: string | null;
  scheduledUntil: string | null;
  steps: boolean;
};

export type SavedView = {
  name: string;
  filter: SavedFilter;
  note: string;
  changedBy: string;
  changedAt: string;
  verbs: Array<string>;
};

export type SavedViewBody = {
  filter: WantedFilter;
  note?: string;
};

export type Schedule = {
  trigger: Cron | Every | CalendarEvery | At | Rrule | BusinessDay | OnEvent | AnyOf | Unless;
  name: string | null;
  zone: string;
  gap: "cron" | "next" | "skip" | "same";
  fold: "cron" | "first" | "second" | "both";
  start: string | null;
  end: string | null;
  count: number | null;
  calendar: string | Calendar | null;
  roll: "skip" | "next" | "previous" | "modified_following";
  args: Record<string, unknown>;
  overlap: "allow" | "skip" | "queue_one" | "queue_all" | "cancel_old" | "newest" | "strict";
  parallel: number;
  backlog: number;
  catchup: "none" | "last" | "all";
  catchup_limit: number;
  catchup_window: string;
  grace: string;
  jitter: string | null;
  jitter_kind: "random" | "hash" | "fixed";
  start_within: string | null;
  deadline: string | null;
  pause_after: number | null;
  is_paused: boolean;
  labels: Record<string, string | number | boolean>;
};

export type ScheduleBody = {
  expression?: string | null;
  trigger?: Record<string, unknown> | null;
  dialect?: "vixie" | "quartz" | "kubernetes" | null;
  zone?: string | null;
  gap?: "cron" | "next" | "skip" | "same" | null;
  fold?: "cron" | "first" | "second" | "both" | null;
  calendar?: string | Record<string, unknown> | null;
  roll?: "skip" | "next" | "previous" | "modified_following" | null;
  job: string;
  args?: Record<string, unknown> | null;
  start?: string | null;
  end?: string | null;
  count?: number | null;
  overlap?: "allow" | "skip" | "queue_one" | "queue_all" | "cancel_old" | "newest" | "strict" | null;
  parallel?: number | null;
  backlog?: number | null;
  catchup?: "none" | "last" | "all" | null;
  catchupLimit?: number | null;
  catchupWindow?: string | number | null;
  grace?: string | number | null;
  jitter?: string | number | null;
  jitterKind?: "random" | "hash" | "fixed" | null;
  startWithin?: string | number | null;
  deadline?: string | number | null;
  pauseAfter?: number | null;
  paused?: boolean | null;
  labels?: Record<string, unknown> | null;
};

export type ScheduleDetail = {
  id: string;
  name: string;
  job: string;
  trigger: string;
  description: string;
  zone: string;
  state: "active" | "paused" | "error" | "ended";
  note: string | null;
  nextAt: string | null;
  lastAt: string | null;
  lastState: string | null;
  lastExecutionId: string | null;
  lastEndedAt: string | null;
  lastSuccess: string | null;
  lastSuccessAt: string | null;
  overlap: "allow" | "skip" | "queue_one" | "queue_all" | "cancel_old" | "newest" | "strict" | null;
  catchup: "none" | "last" | "all" | null;
  origin: "code" | "file" | "api";
  app: string | null;
  revision: number;
  running: number;
  waiting: number;
  fired: number;
  missed: number;
  skipped: number;
  failures: number;
  blockedBy: string | null;
  changedBy: string | null;
  changedAt: string;
  createdAt: string;
  spec: Schedule | null;
  verbs: Array<string>;
  definition: Record<string, unknown>;
  coming: Array<NextFiring>;
  past: Array<FiringView>;
};

export type ScheduleFound = {
  name: string;
  job: string;
  state: "active" | "paused" | "error" | "ended";
};

export type ScheduleHeld = {
  name: string;
  state: "paused" | "active" | "unblocked";
};

export type SchedulePreview = {
  description: string;
  zone: string;
  firings: Array<NextFiring>;
};

export type ScheduleTriggered = {
  executionId: string | null;
  status: "queued" | "pending" | "skipped";
  decision: string;
};

export type ScheduleView = {
  id: string;
  name: string;
  job: string;
  trigger: string;
  description: string;
  zone: string;
  state: "active" | "paused" | "error" | "ended";
  note: string | null;
  nextAt: string | null;
  lastAt: string | null;
  lastState: string | null;
  lastExecutionId: string | null;
  lastEndedAt: string | null;
  lastSuccess: string | null;
  lastSuccessAt: string | null;
  overlap: "allow" | "skip" | "queue_one" | "queue_all" | "cancel_old" | "newest" | "strict" | null;
  catchup: "none" | "last" | "all" | null;
  origin: "code" | "file" | "api";
  app: string | null;
  revision: number;
  running: number;
  waiting: number;
  fired: number;
  missed: number;
  skipped: number;
  failures: number;
  blockedBy: string | null;
  changedBy: string | null;
  changedAt: string;
  createdAt: string;
  spec: Schedule | null;
  verbs: Array<string>;
};

export type SearchResults = {
  runs: Array<RunFound>;
  jobs: Array<JobFound>;
  schedules: Array<ScheduleFound>;
  logs: Array<LineFound>;
};

export type SendEventBody = {
  event: string;
  payload?: unknown;
  key?: string | null;
};

export type Sent = {
  id: string;
  isNew: boolean;
  heard: Array<Heard>;
};

export type SessionView = {
  who: string;
  kind: "token" | "session";
  namespace: string;
  roles: Array<"viewer" | "operator" | "author" | "admin" | "exec" | "audit" | "worker">;
  queues: Array<string> | null;
  verbs: Array<string>;
  csrfToken: string | null;
};

export type SettleBody = {
  done: boolean;
  result?: unknown;
  reason?: string | null;
};

export type SignInLink = {
  ticket: string | null;
  roles: Array<"viewer" | "operator" | "author" | "admin" | "exec" | "audit" | "worker">;
  expiresAt: string;
};

export type State = "pending" | "scheduled" | "queued" | "running" | "suspended" | "success" | "failed" | "cancelled" | "skipped";

export type StopBackfillBody = {
  note?: string | null;
};

export type Stray = {
  runId: string;
  fence: number;
  token: string;
};

export type SubmitBody = {
  jobId?: string | null;
  job?: string | null;
  args?: Record<string, unknown>;
  queue?: string | null;
  priority?: number | "high" | "medium" | "low" | null;
  delay?: string | number | null;
  at?: string | null;
  key?: string | null;
  keyWindow?: string | number | null;
  expires?: string | number | null;
  timeout?: string | number | null;
  retries?: number | null;
  labels?: Record<string, unknown> | null;
  cache?: false | null;
};

export type SubmittedRun = {
  executionId: string;
  status: "queued" | "scheduled" | "refused";
  isNew: boolean;
};

export type SubmittedRuns = {
  runs: Array<SubmittedRun>;
};

export type SuccessState = {
  at: number | null;
  result: string | null;
};

export type Taken = {
  chunks: number;
};

export type TemplateBody = {
  definition: Record<string, unknown>;
  parameters?: Record<string, BlankBody>;
  description?: string;
};

export type TemplateView = {
  name: string;
  description: string;
  definition: Record<string, unknown>;
  parameters: Record<string, unknown>;
  revision: number;
  changedBy: string;
  changedAt: string;
  verbs: Array<string>;
};

export type TimeBucket = {
  at: string;
  success: number;
  failed: number;
  cancelled: number;
  skipped: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

export type Timeline = {
  executionId: string;
  startAt: string;
  endAt: string;
  tracks: Array<TimelineTrack>;
};

export type TimelineSpan = {
  part: "queued" | "running" | "failed";
  startAt: string;
  endAt: string;
};

export type TimelineTrack = {
  name: string;
  state: string;
  attempts: number;
  instances: number | null;
  stretches: Array<TimelineSpan>;
};

export type TokenView = {
  id: string;
  namespace: string;
  name: string;
  prefix: string;
  roles: Array<"viewer" | "operator" | "author" | "admin" | "exec" | "audit" | "worker">;
  queues: Array<string> | null;
  createdAt: string;
  createdBy: string;
  expiresAt: string | null;
  usedAt: string | null;
  revokedAt: string | null;
  revokedBy: string | null;
  verbs: Array<string>;
};

export type TriggerBody = {
  args?: Record<string, unknown>;
  scheduledFor?: string | null;
};

export type TriggerScheduleBody = {
  args?: Record<string, unknown> | null;
  scheduledFor?: string | null;
};

export type Triggered = {
  executionId: string;
  status: "queued";
};

export type Unless = {
  trigger: Cron | Every | CalendarEvery | At | Rrule | BusinessDay | OnEvent | AnyOf | Unless;
  exclude: Cron | Every | CalendarEvery | At | Rrule | BusinessDay | OnEvent | AnyOf | Unless;
  whole_day: boolean;
  type: "unless";
};

export type UpcomingFiring = {
  at: string;
  schedule: string;
  job: string;
  mark: "gap" | "fold" | "holiday" | null;
  marks: Array<string>;
};

export type UpcomingFirings = {
  items: Array<UpcomingFiring>;
  cut: boolean;
  frequent: Array<string>;
  daysOff: Array<CalendarDayOff>;
  shifts: Array<ClockShift>;
};

export type VerifyBody = {
  head?: string | null;
  anchors?: Array<AnchorBody>;
};

export type Version = {
  version: string;
  database: string;
};

export type VersionDiff = {
  jobId: string;
  from: number;
  to: number;
  changes: Array<FieldChange>;
};

export type VersionView = {
  version: number;
  createdAt: string;
  origin: string;
  current: boolean;
  weight: number | null;
  definition: DefinitionView;
};

export type WantedFilter = {
  status?: State | null;
  jobId?: string | null;
  queue?: string | null;
  schedule?: string | null;
  error?: string | null;
  text?: string | null;
  label?: Array<string>;
  arg?: Array<string>;
  since?: string | null;
  until?: string | null;
  scheduledSince?: string | null;
  scheduledUntil?: string | null;
  steps?: boolean;
};

export type WorkerCounts = {
  alive: number;
  silent: number;
};

export type WorkerView = {
  id: string;
  name: string;
  host: string;
  pid: number;
  version: string;
  queues: Array<string>;
  jobs: Array<string> | null;
  slots: number;
  busy: number;
  load: number;
  leftBehind: number;
  startedAt: string;
  seenAt: string;
  alive: boolean;
  draining: boolean;
  verbs: Array<string>;
};

/** What each operation takes and answers. */
export interface Operations {
  showVersion: { answer: Version };
  showSession: { answer: SessionView };
  endSession: { answer: unknown };
  triggerJob: { path: [jobId: string]; body?: TriggerBody; answer: Triggered };
  listJobs: { query?: { cursor?: string | null; limit?: number; spec?: boolean; label?: Array<string> | null }; answer: Page<JobEntry> };
  defineNewJob: { body: JobBody; answer: JobMade };
  showJob: { path: [jobId: string]; answer: JobDetail };
  replaceJob: { path: [jobId: string]; body: JobBody; answer: JobMade };
  removeJob: { path: [jobId: string]; answer: JobRemoved };
  showParameters: { path: [jobId: string]; answer: ParameterSchema };
  pauseJob: { path: [jobId: string]; body?: PauseJobBody; answer: JobPaused };
  resumeJob: { path: [jobId: string]; answer: JobPaused };
  listVersions: { path: [jobId: string]; query?: { cursor?: number | null; limit?: number }; answer: Page<VersionView> };
  compareVersions: { path: [jobId: string, old: number, new: number]; answer: VersionDiff };
  rollBackJob: { path: [jobId: string]; body: RollBackJobBody; answer: JobMade };
  weighVersions: { path: [jobId: string]; body: Record<string, number>; answer: JobWeights };
  listTemplates: { query?: { cursor?: string | null; limit?: number }; answer: Page<TemplateView> };
  showTemplate: { path: [name: string]; answer: TemplateView };
  replaceTemplate: { path: [name: string]; body: TemplateBody; answer: TemplateView };
  deleteTemplate: { path: [name: string]; answer: Removed };
  instantiateTemplate: { path: [name: string]; body?: InstantiateTemplateBody; answer: JobMade };
  planFiles: { body: FilesBody; answer: Plan };
  applyFiles: { body: FilesBody; answer: Plan };
  listRuns: { query?: { status?: State | null; jobId?: string | null; queue?: string | null; schedule?: string | null; parentId?: string | null; steps?: boolean; error?: string | null; text?: string | null; label?: Array<string> | null; arg?: Array<string> | null; since?: string | null; until?: string | null; scheduledSince?: string | null; scheduledUntil?: string | null; view?: string | null; cursor?: string | null; limit?: number }; answer: Page<RunView> };
  submitRun: { body: SubmitBody; answer: SubmittedRun };
  submitRuns: { body: BulkBody; answer: SubmittedRuns };
  showRun: { path: [runId: string]; query?: { wait?: string | null }; answer: RunView };
  streamEvents: { query?: { topics?: string }; answer: unknown };
  sendEvent: { body: SendEventBody; answer: Sent };
  registerWorker: { body: RegisterBody; answer: Registered };
  listenForWorker: { path: [workerId: string]; query?: { wait?: string }; answer: Rung };
  beatForWorker: { path: [workerId: string]; body: HeartbeatBody; answer: Beaten };
  retireWorker: { path: [workerId: string]; answer: Done };
  claimRuns: { path: [workerId: string]; query?: { wait?: string }; body: ClaimBody; answer: Claimed };
  finishRuns: { path: [workerId: string]; body: FinishBody; answer: Finished };
  appendLogs: { path: [workerId: string]; body: LogsBody; answer: Taken };
  saveWorkerCheckpoint: { path: [workerId: string]; body: CheckpointBody; answer: Done };
  loadWorkerCheckpoint: { path: [workerId: string]; body: AttemptBody; answer: CheckpointState };
  labelWorkerRun: { path: [workerId: string]; body: LabelBody; answer: LabelState };
  noteEffect: { path: [workerId: string]; body: EffectBody; answer: EffectState };
  showLastSuccess: { path: [workerId: string]; body: AttemptBody; answer: SuccessState };
  listLabels: { query?: { name?: string | null; prefix?: string; limit?: number }; answer: Page<KnownLabel> };
  labelRun: { path: [runId: string]; body: LabelRunBody; answer: RunLabels };
  listViews: { answer: Page<SavedView> };
  showView: { path: [name: string]; answer: SavedView };
  putView: { path: [name: string]; body: SavedViewBody; answer: SavedView };
  removeView: { path: [name: string]; answer: Removed };
  listAttempts: { path: [runId: string]; answer: Page<AttemptView> };
  explainRun: { path: [runId: string]; query?: { node?: string | null }; answer: Page<Reason> };
  cancelRun: { path: [runId: string]; body?: CancelRunBody; answer: RunState };
  rerunRun: { path: [runId: string]; body?: RerunRunBody; answer: RunState };
  cancelRuns: { body: BulkActBody; answer: BulkDone };
  rerunRuns: { body: BulkActBody; answer: BulkDone };
  showLogs: { path: [runId: string]; query?: { after?: string | null; last?: number | null }; answer: Page<LogLine> };
  searchLogs: { query: { q: string; jobId?: string | null; since?: string | null; level?: "debug" | "info" | "warning" | "error" | "critical"; limit?: number }; answer: Page<FoundLine> };
  listEffects: { query?: { jobId?: string | null; limit?: number }; answer: Page<EffectView> };
  listRunEffects: { path: [runId: string]; answer: Page<EffectView> };
  settleEffect: { path: [runId: string, name: string]; body: SettleBody; answer: EffectView };
  listQueues: { answer: Page<QueueView> };
  showQueue: { path: [queue: string]; answer: QueueDetail };
  pauseQueue: { path: [queue: string]; body?: PauseQueueBody; answer: QueueState };
  resumeQueue: { path: [queue: string]; answer: QueueState };
  listWorkers: { answer: Page<WorkerView> };
  drainWorker: { path: [workerId: string]; answer: DrainState };
  resumeWorker: { path: [workerId: string]; answer: DrainState };
  listReleases: { query?: { app?: string | null; limit?: number }; answer: Page<Release> };
  useRelease: { path: [number: number]; answer: Release };
  listLetterGroups: { query?: { jobId?: string | null; group?: string | null; acted?: boolean; limit?: number }; answer: Page<LetterGroup> };
  listLetters: { query?: { group?: string | null; jobId?: string | null; state?: "open" | "redriven" | "discarded" | null; cursor?: string | null; limit?: number }; answer: Page<LetterView> };
  showLetter: { path: [runId: string]; answer: LetterView };
  redriveLetter: { path: [runId: string]; body?: RedriveLetterBody; answer: Redriven };
  redriveLetters: { body: RedriveBody; answer: RedrivenMany };
  discardLetter: { path: [runId: string]; body?: DiscardLetterBody; answer: Discarded };
  discardLetters: { body: LettersBody; answer: Discarded };
  showTimeline: { path: [runId: string]; answer: Timeline };
  showNodes: { path: [runId: string]; answer: RunNodes };
  markNode: { path: [runId: string]; body: MarkBody; answer: RunState };
  pauseRun: { path: [runId: string]; body?: PauseRunBody; answer: RunState };
  resumeRun: { path: [runId: string]; body?: ResumeRunBody; answer: RunState };
  listGraphs: { query?: { cursor?: string | null; limit?: number }; answer: Page<GraphItem> };
  showGraph: { path: [graph: string]; query?: { version?: number | null }; answer: GraphView };
  showGrid: { path: [graph: string]; query?: { runs?: number }; answer: Grid };
  listSchedules: { query?: { jobId?: string | null; state?: "active" | "paused" | "error" | "ended" | null; cursor?: string | null; limit?: number; spec?: boolean }; answer: Page<ScheduleView> };
  showSchedule: { path: [name: string]; query?: { count?: number }; answer: ScheduleDetail };
  putSchedule: { path: [name: string]; body: ScheduleBody; answer: ScheduleView };
  removeSchedule: { path: [name: string]; answer: Removed };
  pauseSchedule: { path: [name: string]; body?: PauseScheduleBody; answer: ScheduleHeld };
  resumeSchedule: { path: [name: string]; answer: ScheduleHeld };
  unblockSchedule: { path: [name: string]; answer: ScheduleHeld };
  previewSchedule: { body: PreviewBody; answer: SchedulePreview };
  listUpcoming: { query?: { from?: string | null; until?: string | null; limit?: number; each?: number | null }; answer: UpcomingFirings };
  listFirings: { path: [name: string]; query?: { before?: string | null; cursor?: string | null; limit?: number }; answer: Page<FiringView> };
  triggerSchedule: { path: [name: string]; body?: TriggerScheduleBody; answer: ScheduleTriggered };
  backfillSchedule: { path: [name: string]; body: BackfillBody; answer: BackfillStart };
  listBackfills: { query?: { schedule?: string | null; cursor?: string | null; limit?: number }; answer: Page<BackfillView> };
  findBackfill: { path: [backfillId: string]; answer: BackfillView };
  stopBackfill: { path: [backfillId: string]; body?: StopBackfillBody; answer: BackfillStopped };
  listCalendars: { answer: Page<CalendarView> };
  showCalendar: { path: [name: string]; answer: CalendarView };
  putCalendar: { path: [name: string]; body: CalendarBody; answer: CalendarView };
  removeCalendar: { path: [name: string]; answer: Removed };
  listBlackouts: { answer: Page<BlackoutView> };
  showBlackout: { path: [name: string]; answer: BlackoutView };
  putBlackout: { path: [name: string]; body: BlackoutBody; answer: BlackoutView };
  removeBlackout: { path: [name: string]; answer: Removed };
  listAlerts: { query?: { status?: "open" | "closed" | null; rule?: string | null; job?: string | null; cursor?: string | null; limit?: number }; answer: Page<IncidentView> };
  showAlert: { path: [alertId: string]; answer: IncidentView };
  listAlertRules: { answer: Page<AlertRuleView> };
  showAlertRule: { path: [name: string]; answer: AlertRuleView };
  putAlertRule: { path: [name: string]; body: AlertRuleBody; answer: AlertRuleView };
  removeAlertRule: { path: [name: string]; answer: Removed };
  listAlertChannels: { answer: Page<AlertChannelView> };
  putAlertChannel: { path: [name: string]; body: AlertChannelBody; answer: AlertChannelView };
  removeAlertChannel: { path: [name: string]; answer: Removed };
  testAlertChannel: { path: [name: string]; answer: MessageView };
  listAlertMessages: { query?: { channel?: string | null; status?: "waiting" | "sent" | "given_up" | null; cursor?: string | null; limit?: number }; answer: Page<MessageView> };
  listMonitors: { query?: { only?: "new" | "up" | "late" | "down" | "paused" | "started" | null; cursor?: string | null; limit?: number }; answer: Page<MonitorView> };
  showMonitor: { path: [name: string]; answer: MonitorView };
  putMonitor: { path: [name: string]; body: MonitorBody; answer: MonitorView };
  removeMonitor: { path: [name: string]; answer: Removed };
  pauseMonitor: { path: [name: string]; body?: PauseMonitorBody; answer: MonitorView };
  resumeMonitor: { path: [name: string]; answer: MonitorView };
  rotateMonitor: { path: [name: string]; answer: MonitorView };
  rotatePingKey: { answer: PingKeyView };
  listPings: { path: [name: string]; query?: { cursor?: string | null; limit?: number }; answer: Page<PingView> };
  showPing: { path: [name: string, pingNumber: number]; answer: PingDetail };
  pingMonitor: { path: [name: string]; body?: PingMonitorBody; answer: MonitorView };
  listBreakers: { answer: Page<BreakerView> };
  openBreaker: { path: [job: string]; body?: OpenBreakerBody; answer: BreakerChange };
  closeBreaker: { path: [job: string]; answer: BreakerChange };
  listEntries: { query?: { who?: string | null; verb?: string | null; subject?: string | null; text?: string | null; since?: string | null; cursor?: string | null; limit?: number }; answer: Page<AuditEntry> };
  verifyChain: { query?: { head?: string | null }; answer: ChainVerdict };
  verifyAnchors: { body: VerifyBody; answer: ChainVerdict };
  listTokens: { query?: { past?: boolean; cursor?: string | null; limit?: number }; answer: Page<TokenView> };
  createToken: { body: CreateTokenBody; answer: NewTokenView };
  rotateToken: { path: [tokenId: string]; body?: RotateTokenBody; answer: NewTokenView };
  revokeToken: { path: [tokenId: string]; answer: TokenView };
  makeLink: { answer: SignInLink };
  listNamespaces: { answer: Page<Namespace> };
  createNamespace: { body: CreateNamespaceBody; answer: Namespace };
  changeNamespace: { path: [namespace: string]; body: ChangeNamespaceBody; answer: Namespace };
  removeNamespace: { path: [namespace: string]; answer: NamespaceGone };
  showOverview: { query?: { window?: string }; answer: Overview };
  showForecast: { query?: { hours?: number }; answer: Forecast };
  showJobStatistics: { path: [jobId: string]; query?: { window?: string }; answer: JobStatistics };
  searchAll: { query: { q: string; limit?: number }; answer: SearchResults };
}

/** Where each one is; names come where the braces are. */
export const PLACES: Record<keyof Operations, string> = {
  showVersion: "GET /version",
  showSession: "GET /session",
  endSession: "DELETE /session",
  triggerJob: "POST /jobs/{}/trigger",
  listJobs: "GET /jobs",
  defineNewJob: "POST /jobs",
  showJob: "GET /jobs/{}",
  replaceJob: "PUT /jobs/{}",
  removeJob: "DELETE /jobs/{}",
  showParameters: "GET /jobs/{}/parameters",
  pauseJob: "POST /jobs/{}/pause",
  resumeJob: "POST /jobs/{}/resume",
  listVersions: "GET /jobs/{}/versions",
  compareVersions: "GET /jobs/{}/versions/{}/diff/{}",
  rollBackJob: "POST /jobs/{}/rollback",
  weighVersions: "PUT /jobs/{}/weights",
  listTemplates: "GET /templates",
  showTemplate: "GET /templates/{}",
  replaceTemplate: "PUT /templates/{}",
  deleteTemplate: "DELETE /templates/{}",
  instantiateTemplate: "POST /templates/{}/instantiate",
  planFiles: "POST /files/plan",
  applyFiles: "POST /files/apply",
  listRuns: "GET /runs",
  submitRun: "POST /runs",
  submitRuns: "POST /runs/bulk",
  showRun: "GET /runs/{}",
  streamEvents: "GET /events",
  sendEvent: "POST /events",
  registerWorker: "POST /worker/register",
  listenForWorker: "POST /worker/{}/listen",
  beatForWorker: "POST /worker/{}/heartbeat",
  retireWorker: "POST /worker/{}/retire",
  claimRuns: "POST /worker/{}/claim",
  finishRuns: "POST /worker/{}/finish",
  appendLogs: "POST /worker/{}/logs",
  saveWorkerCheckpoint: "POST /worker/{}/checkpoint",
  loadWorkerCheckpoint: "POST /worker/{}/checkpoint/load",
  labelWorkerRun: "POST /worker/{}/labels",
  noteEffect: "POST /worker/{}/effects",
  showLastSuccess: "POST /worker/{}/last-success",
  listLabels: "GET /labels",
  labelRun: "POST /runs/{}/labels",
  listViews: "GET /views",
  showView: "GET /views/{}",
  putView: "PUT /views/{}",
  removeView: "DELETE /views/{}",
  listAttempts: "GET /runs/{}/attempts",
  explainRun: "GET /runs/{}/why",
  cancelRun: "POST /runs/{}/cancel",
  rerunRun: "POST /runs/{}/rerun",
  cancelRuns: "POST /runs/bulk/cancel",
  rerunRuns: "POST /runs/bulk/rerun",
  showLogs: "GET /runs/{}/logs",
  searchLogs: "GET /logs",
  listEffects: "GET /effects",
  listRunEffects: "GET /runs/{}/effects",
  settleEffect: "POST /runs/{}/effects/{}/settle",
  listQueues: "GET /queues",
  showQueue: "GET /queues/{}",
  pauseQueue: "POST /queues/{}/pause",
  resumeQueue: "POST /queues/{}/resume",
  listWorkers: "GET /workers",
  drainWorker: "POST /workers/{}/drain",
  resumeWorker: "POST /workers/{}/resume",
  listReleases: "GET /releases",
  useRelease: "POST /releases/{}/use",
  listLetterGroups: "GET /dead-letters/groups",
  listLetters: "GET /dead-letters",
  showLetter: "GET /dead-letters/{}",
  redriveLetter: "POST /dead-letters/{}/redrive",
  redriveLetters: "POST /dead-letters/redrive",
  discardLetter: "POST /dead-letters/{}/discard",
  discardLetters: "POST /dead-letters/discard",
  showTimeline: "GET /runs/{}/timeline",
  showNodes: "GET /runs/{}/nodes",
  markNode: "POST /runs/{}/mark",
  pauseRun: "POST /runs/{}/pause",
  resumeRun: "POST /runs/{}/resume",
  listGraphs: "GET /graphs",
  showGraph: "GET /graphs/{}",
  showGrid: "GET /graphs/{}/grid",
  listSchedules: "GET /schedules",
  showSchedule: "GET /schedules/{}",
  putSchedule: "PUT /schedules/{}",
  removeSchedule: "DELETE /schedules/{}",
  pauseSchedule: "POST /schedules/{}/pause",
  resumeSchedule: "POST /schedules/{}/resume",
  unblockSchedule: "POST /schedules/{}/unblock",
  previewSchedule: "POST /schedules/preview",
  listUpcoming: "GET /schedules/upcoming",
  listFirings: "GET /schedules/{}/firings",
  triggerSchedule: "POST /schedules/{}/trigger",
  backfillSchedule: "POST /schedules/{}/backfill",
  listBackfills: "GET /backfills",
  findBackfill: "GET /backfills/{}",
  stopBackfill: "POST /backfills/{}/cancel",
  listCalendars: "GET /calendars",
  showCalendar: "GET /calendars/{}",
  putCalendar: "PUT /calendars/{}",
  removeCalendar: "DELETE /calendars/{}",
  listBlackouts: "GET /blackouts",
  showBlackout: "GET /blackouts/{}",
  putBlackout: "PUT /blackouts/{}",
  removeBlackout: "DELETE /blackouts/{}",
  listAlerts: "GET /alerts",
  showAlert: "GET /alerts/{}",
  listAlertRules: "GET /alert-rules",
  showAlertRule: "GET /alert-rules/{}",
  putAlertRule: "PUT /alert-rules/{}",
  removeAlertRule: "DELETE /alert-rules/{}",
  listAlertChannels: "GET /alert-channels",
  putAlertChannel: "PUT /alert-channels/{}",
  removeAlertChannel: "DELETE /alert-channels/{}",
  testAlertChannel: "POST /alert-channels/{}/test",
  listAlertMessages: "GET /alert-messages",
  listMonitors: "GET /monitors",
  showMonitor: "GET /monitors/{}",
  putMonitor: "PUT /monitors/{}",
  removeMonitor: "DELETE /monitors/{}",
  pauseMonitor: "POST /monitors/{}/pause",
  resumeMonitor: "POST /monitors/{}/resume",
  rotateMonitor: "POST /monitors/{}/rotate",
  rotatePingKey: "POST /ping-key/rotate",
  listPings: "GET /monitors/{}/pings",
  showPing: "GET /monitors/{}/pings/{}",
  pingMonitor: "POST /monitors/{}/ping",
  listBreakers: "GET /breakers",
  openBreaker: "POST /breakers/{}/open",
  closeBreaker: "POST /breakers/{}/close",
  listEntries: "GET /audit",
  verifyChain: "GET /audit/verify",
  verifyAnchors: "POST /audit/verify",
  listTokens: "GET /tokens",
  createToken: "POST /tokens",
  rotateToken: "POST /tokens/{}/rotate",
  revokeToken: "DELETE /tokens/{}",
  makeLink: "POST /session/link",
  listNamespaces: "GET /namespaces",
  createNamespace: "POST /namespaces",
  changeNamespace: "PUT /namespaces/{}",
  removeNamespace: "DELETE /namespaces/{}",
  showOverview: "GET /statistics/overview",
  showForecast: "GET /statistics/forecast",
  showJobStatistics: "GET /jobs/{}/statistics",
  searchAll: "GET /search",
};
