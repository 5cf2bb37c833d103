/** Invented data that looks like a busy week. */
import { GRAPHS, graphDefinition, graphOfRun, gridOf } from "./graphs.ts";
import { type Made, makeRuns, noise, STATES } from "./runs.ts";

const isEmpty = process.env.ROTA_FIXTURES === "empty";
const rate = Number(process.env.ROTA_FIXTURES_RATE ?? 4);
const start = Date.now();
const iso = (ms: number) => new Date(ms).toISOString();
const HOUR = 3_600_000;

export const JOBS = [
  "billing.charge_cards",
  "billing.send_invoices",
  "reports.daily_revenue",
  "reports.weekly_digest",
  "etl.orders",
  "etl.customers",
  "mail.welcome",
  "mail.password_reset",
  "search.reindex",
  "search.refresh_suggestions",
  "media.transcode",
  "media.thumbnail",
  "sync.crm",
  "sync.warehouse",
  "ml.train_ranker",
  "ml.score_leads",
  "ops.backup_database",
  "ops.rotate_keys",
  "<img src=x onerror=alert(1)>",
  "nightly",
  "ops.vacuum",
  "webhooks.deliver",
  "ads.pull_spend",
  "fraud.review_queue",
];
const KINDS: Record<string, string> = {
  nightly: "graph",
  "ops.backup_database": "command",
  "webhooks.deliver": "http",
};
const runs: Made[] = isEmpty
  ? []
  : makeRuns(
      JOBS.filter((name) => name !== "nightly"),
      start,
      3000,
    );
for (const [index, graph] of (isEmpty ? [] : GRAPHS).entries()) {
  runs.unshift({
    ...(runs[5] as Made),
    executionId: graph.run,
    jobId: "nightly",
    job: "nightly",
    state: index ? "running" : "failed",
    parentId: null,
    error: index
      ? null
      : { type: "NodeFailed", message: "node load_orders failed: connection reset by peer" },
    startedAt: iso(start - 900_000),
    finishedAt: index ? null : iso(start - 200_000),
    durationMs: index ? null : 700_000,
    attempt: 1,
    verbs: ["cancel", "pause", "rerun"],
    schedule: "nightly",
    scheduledFor: iso(start - 900_000),
    progress: null,
    progressNote: null,
  });
}

function page(items: unknown[], query: URLSearchParams): object {
  const limit = Number(query.get("limit") ?? 50);
  const from = Number(query.get("cursor") ?? 0);
  const next = from + limit < items.length ? String(from + limit) : null;
  return { items: items.slice(from, from + limit), next };
}

const all = (items: unknown[]) => ({ items: isEmpty ? [] : items, next: null });

function jobOf(name: string, index: number) {
  const own = runs
    .filter((run) => run.job === name && run.finishedAt)
    .slice(0, 30)
    .reverse();
  const good = own.filter((run) => run.state === "success").length;
  return {
    jobId: name,
    name,
    kind: KINDS[name] ?? "python",
    queue: ["default", "mail", "heavy"][index % 3],
    version: 1 + (index % 5),
    origin: index % 4 ? "code" : "file jobs.yaml",
    paused: index === 7,
    note: index === 7 ? "Provider outage, see the incident channel" : null,
    breaker: index === 12 ? "open" : "closed",
    nextFireAt: index % 3 ? iso(start + noise(index) * 12 * HOUR) : null,
    schedules: index % 3 ? 1 : 0,
    last: own.map(({ executionId, state, startedAt, durationMs }) => ({
      executionId,
      state,
      startedAt,
      durationMs,
    })),
    successRate: own.length ? good / own.length : null,
    p95Ms: 200 + noise(index + 3) * 90_000,
    running: index % 4,
    queued: (index * 7) % 19,
    verbs: ["trigger", index === 7 ? "resume" : "pause", "rollback", "delete"],
    doc:
      index === 0
        ? "Charges every card that is due.\nSafe to run again: each charge has its own key."
        : null,
    spec: {
      name,
      queue: "default",
      retries: 3,
      timeout: "5m",
      backoff: { kind: "exponential", base: "2s" },
    },
  };
}

const ZONES = ["Europe/Berlin", "UTC", "America/New_York"];
const TRIGGERS: [string, string][] = [
  ["0 6 * * mon-fri", "At 06:00 on Monday to Friday"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["30 2 * * *", "Every day at 02:30"],
  ["0 * * * *", "Every hour"],
];
const schedules = JOBS.filter((_, index) => index % 3).map((job, index) => ({
  name: job.replace(/.*\./, "") || job,
  job,
  trigger: TRIGGERS[index % 4]?.[0],
  description: TRIGGERS[index % 4]?.[1],
  zone: ZONES[index % 3],
  state: index === 4 ? "paused" : "active",
  nextAt: index === 4 ? null : iso(start + (index + 1) * 700_000),
  lastAt: iso(start - index * 900_000),
  lastState: index % 5 ? "success" : "failed",
  overlap: "skip",
  catchup: "latest",
  note: index === 4 ? "Paused during the migration" : null,
  origin: "code",
  verbs: ["trigger", index === 4 ? "resume" : "pause", "edit", "backfill", "delete"],
}));

const queues = ["default", "mail", "heavy", "reports"].map((name, index) => ({
  name,
  queued: [42, 0, 1318, 7][index],
  scheduled: index * 12,
  running: [11, 2, 16, 0][index],
  oldestWaitMs: [820, null, 724_000, 40][index],
  paused: index === 3,
  note: index === 3 ? "Month end closing" : null,
  ratePerMin: [312, 40, 6.5, 0][index],
  limit: index === 2 ? 16 : null,
  verbs: [index === 3 ? "resume" : "pause"],
}));
const workers = Array.from({ length: 6 }, (_, index) => ({
  id: `01930f4e-7c1a-7b2e-9d10-00000000000${index}`,
  host: `worker-${index % 3}.eu`,
  pid: 4100 + index * 17,
  version: "0.1.0",
  queues: index % 2 ? ["default", "mail"] : ["heavy"],
  slots: 8,
  busy: (index * 3) % 9,
  load: noise(index),
  startedAt: iso(start - index * 7 * HOUR),
  seenAt: iso(start - (index === 5 ? 95_000 : 900)),
  alive: index !== 5,
  draining: index === 3,
  verbs: index === 3 ? [] : ["drain"],
}));
const groups = [
  ["ConnectionResetError", "connection reset by peer", "sync.crm", 128],
  ["HTTPStatusError", "503 Service Unavailable for POST /v1/charges", "billing.charge_cards", 41],
  ["KeyError", "'customer_id'", "etl.orders", 7],
  ["<script>", "alert('hostile')</script>", "mail.welcome", 1],
].map(([error, message, job, many], index) => ({
  group: `g${index}`,
  errorType: error,
  message,
  job,
  open: many,
  total: many,
  lastAt: iso(start - index * 500_000),
  verbs: ["redrive", "discard"],
}));
const letters = Array.from({ length: 40 }, (_, index) => ({
  executionId: runs[index]?.executionId ?? "",
  job: "sync.crm",
  group: "g0",
  errorType: "ConnectionResetError",
  message: "connection reset by peer",
  diedAt: iso(start - index * 60_000),
  state: "open",
  verbs: ["redrive", "discard"],
}));
const acts = Array.from({ length: 120 }, (_, index) => ({
  id: `a${index}`,
  at: iso(start - index * 1_400_000),
  who: ["ada@example.org", "deploy token", "grace@example.org"][index % 3],
  verb: ["pause", "rerun", "cancel", "edit schedule"][index % 4],
  subject: `job ${JOBS[index % JOBS.length]}`,
  detail: { paused: true, note: "Provider outage" },

  address: "10.0.4.17",
}));

function overview(): object {
  const buckets = Array.from({ length: 60 }, (_, index) => ({
    at: iso(start - (60 - index) * 60_000),
    success: Math.round(180 + 120 * noise(index)),
    failed: index % 17 === 3 ? 22 : Math.round(4 * noise(index + 7)),
  }));
  return isEmpty
    ? {
        throughput: [],
        successRate: null,
        retryRate: null,
        queueDepth: 0,
        oldestWaitMs: null,
        scheduleLagMs: { p50: null, p99: null },
        running: 0,
        slots: 0,
        utilisation: null,
        workers: { alive: 0, silent: 0 },
        failures: [],
        dueNextHour: 0,
      }
    : {
        throughput: buckets,
        successRate: 0.9874,
        retryRate: 0.031,
        queueDepth: 1367,
        oldestWaitMs: 724_000,
        scheduleLagMs: { p50: 4, p99: 31 },
        running: 29,
        slots: 48,
        utilisation: 0.604,
        workers: { alive: 5, silent: 1 },
        durations: { p50Ms: 420, p95Ms: 8_300 },
        dueNextHour: 214,
        failures: groups.map((group) => ({
          fingerprint: group.group,
          error: `${group.errorType}: ${group.message}`,
          count: group.open,
          job: group.job,
          lastAt: group.lastAt,
        })),
      };
}

function comingOf(): object[] {
  const marks: Record<number, string> = { 2: "holiday", 5: "fold" };
  return Array.from({ length: 6 }, (_, index) => ({
    at: iso(start + (index + 1) * 24 * HOUR),
    local: `2026-11-${17 + index} 06:00`,
    mark: marks[index] ?? null,
  }));
}

function preview(query: string): [number, unknown] {
  if (query.includes("x")) {
    return [
      422,
      {
        title: "Unprocessable",
        status: 422,
        code: "bad-schedule",
        detail: "minute 'x' is neither a number nor a range",
        remedy: "Write five fields: minute hour day month weekday.",
      },
    ];
  }
  return [
    200,
    {
      description: "At 06:00 on Monday to Friday",
      firings: Array.from({ length: 8 }, (_, index) => ({
        at: iso(start + (index + 1) * 24 * HOUR),
        local: `2026-11-${17 + index} 06:00`,
        mark: index === 2 ? "holiday" : index === 5 ? "fold" : null,
      })),
    },
  ];
}

const ESC = "\u001b";
function logs(id: string): object {
  const run = runs.find((each) => each.executionId === id);
  const lines = Array.from({ length: run ? 240 : 0 }, (_, index) => ({
    claim: 1,
    seq: index,
    at: iso(start - (240 - index) * 700),
    attempt: 1,
    stream: index % 9 ? "stdout" : "stderr",
    level: ["info", "info", "debug", "warning", "info", "error"][index % 6],
    text:
      index === 7
        ? "<script>alert('hostile')</script> <img src=x onerror=alert(1)>"
        : index % 6 === 5
          ? `${ESC}[31;1mConnectionResetError${ESC}[0m: attempt ${index} of ${ESC}[36mPOST /v1/charges${ESC}[0m failed`
          : index % 4 === 0
            ? `${ESC}[32m✓${ESC}[0m batch ${index} of 240 written, ${ESC}[1m${index * 100}${ESC}[0m rows`
            : `processing page ${index} of orders since 2026-11-01`,
  }));
  return { items: lines, next: null };
}

type Answer = [number, unknown];

export function answer(path: string, query: URLSearchParams, method: string): Answer {
  if (method !== "GET") return change(path, query);
  const parts = path.split("/").slice(1).map(decodeURIComponent);
  const [noun, id, more] = parts;
  if (noun === "runs" && id) return runAnswer(id, more);
  if (noun === "jobs" && id && !path.includes("/diff/")) return jobAnswer(id, more);
  if (noun === "graphs" && id) return [200, more ? gridOf(runs[3] as Made) : graphDefinition(id)];
  if (noun === "schedules" && id && id !== "upcoming")
    return [
      200,
      {
        ...schedules.find((each) => each.name === id),
        coming: comingOf(),
        definition: { args: { region: "eu" } },
      },
    ];
  if (noun === "dead-letters" && id && id !== "groups")
    return [200, letters.find((each) => each.executionId === id)];
  const found = plain(path, query);
  return found === undefined
    ? [
        404,
        {
          title: "Not Found",
          status: 404,
          code: "not-found",
          detail: `There is nothing at ${path}.`,
          remedy: "Check the address.",
        },
      ]
    : [200, found];
}

function runAnswer(id: string, more: string | undefined): Answer {
  const run = runs.find((each) => each.executionId === id) ?? runs[0];
  if (!run) return [404, {}];
  if (more === "logs") return [200, logs(id)];
  if (more === "nodes") return [200, graphOfRun(id, start)];
  if (more === "attempts") {
    const many = Array.from({ length: Math.max(0, run.attempt - 1) }, (_, index) => ({
      number: index + 1,
      kind: "error",
      workerId: "worker-1.eu",
      startedAt: iso(Date.parse(run.createdAt) + index * 30_000),
      endedAt: iso(Date.parse(run.createdAt) + index * 30_000 + 9_000),
      error: {
        type: "ConnectionResetError",
        message: "connection reset by peer",
        traceback:
          'Traceback (most recent call last):\n  File "jobs.py", line 12, in charge\n    raise ConnectionResetError',
      },
    }));
    return [200, { items: many, next: null }];
  }
  const isWaiting = ["queued", "scheduled", "pending"].includes(run.state);
  return [
    200,
    {
      ...run,
      args: { customer: 4711, since: "2026-11-01", dryRun: false, tags: ["eu", "priority"] },
      result:
        run.state === "success"
          ? { written: 18_204, skipped: 3, file: "s3://reports/2026-11-15.parquet" }
          : null,
      policy: { retries: 5, timeout: "5m" },
      graph: GRAPHS.some((graph) => graph.run === run.executionId) ? { name: "nightly" } : null,
      why: isWaiting
        ? [
            {
              kind: "limit",
              says: "The limit of queue heavy is reached: 16 of 16 slots are busy.",
              count: 16,
              until: null,
            },
            { kind: "order", says: "1,318 runs are in front of it.", count: 1318, until: null },
          ]
        : [],
    },
  ];
}

function jobAnswer(id: string, more: string | undefined): Answer {
  const job = jobOf(id, Math.max(0, JOBS.indexOf(id)));
  if (more === "versions") {
    return [
      200,
      all(
        [3, 2, 1].map((version) => ({
          version,
          createdAt: iso(start - (4 - version) * 50 * HOUR),
          by: "deploy token",
        })),
      ),
    ];
  }
  if (more === "parameters")
    return [
      200,
      {
        type: "object",
        required: ["customer"],
        properties: {
          customer: { type: "integer", description: "Id of the customer." },
          since: { type: "string", default: "2026-11-01" },
          mode: { enum: ["full", "delta"] },
          dryRun: { type: "boolean", default: false },
          tags: { type: "array" },
        },
      },
    ];
  if (more === "statistics") {
    const buckets = Array.from({ length: 84 }, (_, index) => ({
      at: iso(start - (84 - index) * 2 * HOUR),
      success: Math.round(20 * noise(index)),
      failed: index % 19 === 2 ? 4 : 0,
      p50Ms: 300 + 200 * noise(index),
      p95Ms: 900 + 2500 * noise(index + 5),
    }));
    const days = Array.from({ length: 120 }, (_, index) => ({
      day: iso(start - (119 - index) * 24 * HOUR).slice(0, 10),
      success: Math.round(90 * noise(index)),
      failed: index % 13 === 4 ? 3 : 0,
    }));
    return [200, { buckets, days }];
  }
  return [200, job];
}

function plain(path: string, query: URLSearchParams): unknown {
  if (path.includes("/diff/"))
    return {
      changes: [
        { field: "retries", old: 3, new: 5 },
        { field: "schedule", old: "0 6 * * *", new: "0 6 * * mon-fri" },
      ],
    };
  const wanted = query.get("q")?.toLowerCase() ?? "";
  const states = query.get("state")?.split(",") ?? STATES;
  const fitting = () =>
    runs.filter(
      (run) =>
        states.includes(run.state) &&
        run.job.toLowerCase().includes(wanted) &&
        (!query.get("job") || run.job === query.get("job")),
    );
  const hours = Array.from({ length: 24 }, (_, index) => ({
    at: iso(start + index * HOUR),
    runs: Math.round(200 * noise(index)),
    busyMs: 6_000_000 * noise(index + 2),
  }));
  const table: Record<string, () => unknown> = {
    "/session": () => ({
      who: "ada@example.org",
      namespace: "default",
      roles: ["admin"],
      csrfToken: "fixture",
      verbs: ["create-token", "create-schedule"],
    }),
    "/version": () => ({ version: "0.1.0", database: "PostgreSQL 16", schema: 14 }),
    "/statistics/overview": overview,
    "/statistics/forecast": () => ({ buckets: isEmpty ? [] : hours }),
    "/runs": () => page(query.get("graph") ? runs.slice(10, 30) : fitting(), query),
    "/jobs": () =>
      page((isEmpty ? [] : JOBS).filter((name) => name.includes(wanted)).map(jobOf), query),
    "/graphs": () =>
      all([
        { name: "nightly", version: 3, nodes: 14 },
        { name: "huge", version: 1, nodes: 1000 },
      ]),
    "/schedules": () => all(schedules),
    "/schedules/upcoming": () => ({
      items: isEmpty
        ? []
        : schedules.flatMap((each, at) =>
            Array.from({ length: at % 4 === 1 ? 160 : 6 }, (_, index) => ({
              at: iso(start + (index * (at % 4 === 1 ? 1 : 26) + at) * HOUR),
              schedule: each.name,
              job: each.job,
            })),
          ),
      cut: false,
    }),
    "/backfills": () =>
      all([
        {
          id: "b1",
          schedule: "daily_revenue",
          from: iso(start - 900 * HOUR),
          until: iso(start),
          state: "running",
          total: 37,
          done: 12,
          verbs: ["cancel"],
        },
      ]),
    "/queues": () => all(queues),
    "/workers": () => all(workers),
    "/breakers": () =>
      all([
        {
          job: "sync.crm",
          state: "open",
          rule: "50% of 20 in 1m",
          openedAt: iso(start - 300_000),
          verbs: ["close"],
        },
      ]),
    "/dead-letters/groups": () => all(groups),
    "/dead-letters": () => page(letters, query),
    "/audit": () => page(isEmpty ? [] : acts, query),
    "/audit/verify": () => ({ isGood: true, acts: 1204, says: "1,204 acts, none altered" }),
    "/tokens": () =>
      all(
        ["deploy", "ci", "grafana"].map((name, index) => ({
          id: name,
          name,
          roles: [["admin"], ["operator"], ["viewer"]][index],
          queues: null,
          createdAt: iso(start - index * 900 * HOUR),
          usedAt: iso(start - index * 60_000),
          expiresAt: index ? iso(start + 900 * HOUR) : null,
          verbs: ["revoke"],
        })),
      ),
    "/namespaces": () =>
      all([
        {
          name: "default",
          quotas: { queued: 100_000, running: 64 },
          createdAt: iso(start - 9000 * HOUR),
        },
        { name: "staging", quotas: {}, createdAt: iso(start - 400 * HOUR) },
      ]),
    "/search": () => ({
      runs: fitting().slice(0, 5),
      jobs: JOBS.filter((name) => name.includes(wanted))
        .map(jobOf)
        .slice(0, 5),
      logs: [
        {
          executionId: runs[0]?.executionId,
          at: iso(start),
          text: `processing page 12 of ${wanted}`,
        },
      ],
    }),
  };
  return table[path]?.();
}

function change(path: string, _: URLSearchParams): Answer {
  if (path === "/schedules/preview") return preview("");
  if (path.startsWith("/runs/bulk/")) return [200, { matched: 12, done: 12 }];
  if (path.endsWith("/backfill")) return [200, { total: 31 }];
  if (path === "/tokens") return [201, { token: "rota_fixture_0123456789abcdef" }];
  return [202, { executionId: runs[0]?.executionId, status: "queued" }];
}

/** Changes of state, as many a second as asked for. */
export function follow(write: (text: string) => void, topics: string): () => void {
  let id = 0;
  const log = /logs:([^,]+)/.exec(topics)?.[1];
  const timer = setInterval(
    () => {
      const many = Math.max(1, Math.round(rate / 10));
      for (let index = 0; index < many && runs.length; index++) {
        id += 1;
        const run = runs[(id * 7) % 300] as Made;
        if (rate < 10 && run.state !== "running") continue;
        const progress = ((run.progress ?? 0) + 3) % 100;
        run.progress = run.state === "running" ? progress : run.progress;
        write(
          `id: ${id}\nevent: run\ndata: ${JSON.stringify({ executionId: run.executionId, status: run.state, progress: run.progress })}\n\n`,
        );
      }
      if (log)
        write(
          `id: ${++id}\nevent: log\ndata: ${JSON.stringify({ executionId: log, claim: 1, seq: 1000 + id, at: iso(Date.now()), attempt: 1, stream: "stdout", level: "info", text: `live line ${id}` })}\n\n`,
        );
    },
    rate < 10 ? 1000 / rate : 100,
  );
  return () => clearInterval(timer);
}
