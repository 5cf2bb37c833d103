/** What the API says, after its contract. Times are ISO 8601 in UTC, durations milliseconds. */

export type State =
  | "pending"
  | "scheduled"
  | "queued"
  | "running"
  | "suspended"
  | "success"
  | "failed"
  | "cancelled"
  | "skipped";

export interface Page<T> {
  items: T[];
  next: string | null;
}

/** What this caller may do to a thing now; the pages offer these and nothing else. */
export interface Acted {
  verbs?: string[];
}

export interface Problem {
  type?: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  remedy: string;
  requestId?: string;
  fields?: Record<string, string>;
}

export interface Session extends Acted {
  who: string;
  namespace: string;
  roles: string[];
  queues?: string[] | null;
  /** Only of a session by cookie; its changes carry it. */
  csrfToken?: string | null;
}

export interface RunError {
  type: string;
  message: string;
  traceback?: string | null;
}

export interface Run extends Acted {
  executionId: string;
  jobId: string;
  job: string;
  version?: number | null;
  queue: string;
  priority: number;
  state: State;
  status?: string;
  attempt: number;
  failures: number;
  crashes: number;
  createdAt: string;
  dueAt?: string | null;
  startedAt?: string | null;
  finishedAt?: string | null;
  durationMs?: number | null;
  /** Percent. */
  progress?: number | null;
  progressNote?: string | null;
  workerId?: string | null;
  scheduledFor?: string | null;
  schedule?: string | null;
  parentId?: string | null;
  node?: string | null;
  item?: number | null;
  rerunOf?: string | null;
  key?: string | null;
  error?: RunError | null;
  /** Why it ended so, or is held. */
  reason?: string | null;
  cancelRequested?: boolean;
}

export interface Reason {
  kind: string;
  says: string;
  count?: number | null;
  until?: string | null;
}

export interface RunDetail extends Run {
  args?: unknown;
  result?: unknown;
}

/** A try that did not succeed. */
export interface Attempt {
  number: number;
  kind: string;
  workerId?: string | null;
  startedAt?: string | null;
  endedAt?: string | null;
  error?: RunError | null;
}

export interface LogLine {
  /** With the claim, the place of a line: numbers begin anew with each claim. */
  seq: number;
  claim?: number;
  at: string;
  attempt: number;
  stream: string;
  level: string | null;
  text: string;
}

export interface MapCounts {
  total: number;
  done: number;
  failed: number;
  running: number;
}

export interface GraphNode extends Acted {
  name: string;
  job?: string | null;
  group?: string | null;
  kind: string;
  join?: string | null;
  state?: State | null;
  runId?: string | null;
  startedAt?: string | null;
  finishedAt?: string | null;
  durationMs?: number | null;
  attempt?: number | null;
  reason?: string | null;
  /** The run whose result it was given. */
  cached?: string | null;
  map?: MapCounts | null;
  critical?: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  when?: string | null;
}

export interface GraphShape {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export interface GraphOfRun extends Acted {
  /** None of a run whose job is no graph. */
  graph: GraphShape | null;
  paused: boolean;
  progress: {
    done: number;
    total: number;
    byState?: Partial<Record<State, number>>;
    estimateMs?: number | null;
    criticalPath?: string[];
  };
}

export interface GraphSummary extends Acted {
  name: string;
  jobId?: string;
  version?: number;
  nodes?: number | GraphNode[];
}

export interface GraphDefinition extends Acted {
  name: string;
  version?: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export interface Grid {
  runs: { executionId: string; scheduledFor?: string | null; state: State }[];
  nodes: string[];
  cells: Record<string, Record<string, State>>;
}

export interface LastRun {
  executionId: string;
  state: State;
  startedAt?: string | null;
  durationMs?: number | null;
}

export interface Job extends Acted {
  jobId: string;
  name: string;
  kind: "python" | "command" | "http" | "graph" | (string & {});
  queue: string;
  version: number;
  origin?: string | null;
  paused?: boolean;
  note?: string | null;
  breaker?: string | null;
  nextFireAt?: string | null;
  schedules?: number;
  last?: LastRun[];
  successRate?: number | null;
  p95Ms?: number | null;
  running?: number;
  queued?: number;
}

export interface JobDetail extends Job {
  definition?: Record<string, unknown>;
  doc?: string | null;
  weights?: Record<string, number> | null;
}

export interface JobVersion {
  version: number;
  createdAt: string;
  origin?: string | null;
  current?: boolean;
  weight?: number | null;
}

export interface VersionDiff {
  changes: { field: string; old: unknown; new: unknown }[];
}

export interface JobStatistics {
  buckets: {
    at: string;
    success: number;
    failed: number;
    p50Ms?: number | null;
    p95Ms?: number | null;
  }[];
  days: { day: string; success: number; failed: number }[];
}

export interface Schedule extends Acted {
  name: string;
  job: string;
  trigger: string;
  description?: string | null;
  zone: string;
  state: string;
  nextAt?: string | null;
  lastAt?: string | null;
  lastState?: State | null;
  overlap?: string | null;
  catchup?: string | null;
  note?: string | null;
  origin?: string | null;
  blockedBy?: string | null;
  failures?: number;
  missed?: number;
}

export interface ScheduleDetail extends Schedule {
  definition?: Record<string, unknown>;
  coming?: Firing[];
}

export interface Firing {
  at: string;
  local?: string;
  mark?: "gap" | "fold" | "holiday" | (string & {}) | null;
  /** All that is special about it, in words. */
  marks?: string[];
}

export interface Preview {
  description: string;
  firings: Firing[];
}

export interface Upcoming {
  items: { at: string; schedule: string; job: string }[];
  cut?: boolean | string | null;
}

export interface Backfill extends Acted {
  id: string;
  schedule: string;
  from: string;
  until: string;
  state: "active" | "done" | "cancelled" | "error";
  note?: string | null;
  total: number;
  succeeded: number;
  failed: number;
}

export interface Queue extends Acted {
  name: string;
  queued: number;
  scheduled: number;
  running: number;
  oldestWaitMs?: number | null;
  paused?: boolean;
  note?: string | null;
  ratePerMin?: number | null;
  limit?: number | null;
  held?: number;
}

export interface Worker extends Acted {
  id: string;
  name?: string;
  host: string;
  pid: number;
  version?: string | null;
  queues: string[];
  slots: number;
  busy: number;
  load?: number | null;
  startedAt: string;
  seenAt: string;
  alive: boolean;
  draining?: boolean;
}

export interface DeadGroup extends Acted {
  group: string;
  job: string;
  errorType: string;
  message: string;
  reason?: string | null;
  /** Those that nobody has redriven or discarded yet. */
  open: number;
  total: number;
  firstAt: string;
  lastAt: string;
}

export interface DeadLetter extends Acted {
  executionId: string;
  job: string;
  version?: number;
  group: string;
  errorType: string;
  message: string;
  reason?: string | null;
  diedAt: string;
  state: "open" | "redriven" | "discarded" | (string & {});
  rerunId?: string | null;
}

export interface Breaker extends Acted {
  job: string;
  state: string;
  rule?: string | null;
  openedAt?: string | null;
  note?: string | null;
  held?: number;
}

export interface Overview {
  throughput: { at: string; success: number; failed: number }[];
  successRate?: number | null;
  retryRate?: number | null;
  queueDepth: number;
  oldestWaitMs?: number | null;
  scheduleLagMs?: { p50?: number | null; p99?: number | null } | null;
  running: number;
  slots: number;
  utilisation?: number | null;
  workers: { alive: number; silent: number };
  durations?: { p50Ms?: number | null; p95Ms?: number | null } | null;
  failures: { fingerprint: string; error: string; count: number; job: string; lastAt: string }[];
  dueNextHour: number;
}

export interface Forecast {
  buckets: { at: string; runs: number; busyMs: number }[];
}

export interface Found {
  runs: Pick<Run, "executionId" | "jobId" | "status">[];
  jobs: Pick<Job, "jobId" | "queue">[];
  logs: { executionId: string; at: string; text: string }[];
}

export interface Act {
  id: string;
  at: string;
  who: string;
  verb: string;
  subject: string;
  detail?: Record<string, unknown> | null;
  address?: string | null;
  requestId?: string | null;
  seq?: number | null;
  hash?: string | null;
}

export interface AuditCheck {
  isGood: boolean;
  acts: number;
  says: string;
}

export interface Token extends Acted {
  id: string;
  name: string;
  roles: string[];
  queues?: string[] | null;
  createdAt: string;
  expiresAt?: string | null;
  usedAt?: string | null;
  createdBy?: string | null;
}

export interface Namespace extends Acted {
  name: string;
  note?: string | null;
  quotas?: Record<string, number | null> | null;
  createdAt?: string;
}

export interface Version {
  version: string;
  schema?: number | string;
  database?: string;
  python?: string;
}

export interface BulkAnswer {
  matched: number;
  done: number;
}
