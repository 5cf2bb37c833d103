/** Every question that pages ask of the one cache. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { serverNow } from "@/lib/clock";
import { linesOf, readLast } from "@/lib/logReader";
import { sinceOf } from "@/lib/time";
import { type Answer, ask, type Operation, type Wish } from "./client";
import type { Operations, Page } from "./generated";
import { keys } from "./keys";
import type { Run } from "./types";

type Asked<Name extends Operation> = Omit<Wish<Name>, "signal">;
export type Query<Name extends Operation> = Operations[Name] extends { query?: infer Asked }
  ? NonNullable<Asked>
  : never;

function one<Name extends Operation>(
  key: unknown[],
  name: Name,
  wish?: Asked<Name>,
  everyMs?: number,
) {
  return queryOptions({
    queryKey: key,
    queryFn: ({ signal }): Promise<Answer<Name>> => asked(name, { ...wish, signal }),
    ...(everyMs && { refetchInterval: everyMs }),
  });
}

type Listing = {
  [Name in Operation]: Answer<Name> extends Page<unknown> ? Name : never;
}[Operation];
type ItemOf<Name extends Listing> = Answer<Name> extends Page<infer Item> ? Item : never;

function paged<Name extends Listing>(
  key: unknown[],
  name: Name,
  query: () => object,
  path?: string[],
) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam: cursor, signal }): Promise<Page<ItemOf<Name>>> =>
      asked(name, { path, query: { ...query(), cursor }, signal }) as Promise<Page<ItemOf<Name>>>,
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<ItemOf<Name>>) => page.next,
    placeholderData: keepPreviousData,
  });
}

/** A name that is not known here cannot be matched with its wish; those above have checked both. */
const asked = ask as <Name extends Operation>(name: Name, wish: object) => Promise<Answer<Name>>;

export const session = queryOptions({
  queryKey: keys.session,
  queryFn: ({ signal }) => ask("showSession", { signal }),
  staleTime: 5 * 60_000,
  retry: false,
});

export const version = () => one(keys.version, "showVersion");
export const overview = (window: string) => ({
  ...one([...keys.overview, window], "showOverview", { query: { window } }, 5_000),
  placeholderData: keepPreviousData,
});
export const forecast = () => one(keys.forecast, "showForecast", { query: { hours: 24 } }, 300_000);

/** "The last hour" is the same list all the time; from when it counts is said when it is asked for. */
export const runs = (filter: Query<"listRuns">) =>
  paged([...keys.runs, filter], "listRuns", () => ({ limit: 100, ...fromNow(filter) }));
export function fromNow<T extends { since?: string | null }>(filter: T): T {
  return filter.since ? { ...filter, since: sinceOf(filter.since, serverNow()) } : filter;
}
/** Names of labels that runs have; of one name, the values that begin with a text. */
export const labels = (name?: string, prefix = "") => ({
  ...one([...keys.labels, name, prefix], "listLabels", { query: { name, prefix, limit: 20 } }),
  placeholderData: keepPreviousData,
  staleTime: 10_000,
});
export const views = () => one(keys.views, "listViews");
export const run = (id: string) => one(keys.run(id), "showRun", { path: [id] }, 15_000);
/** The run of the same job, or the step of the same graph, that was made just before this one. */
export const runBefore = ({ executionId, jobId, parentId }: Run) =>
  one([...keys.run(executionId), "before"], "listRuns", {
    query: { jobId, parentId, cursor: executionId, limit: 1 },
  });
/** Those made since, the newest first: as many as are worth looking through for the next one. */
export const runsSince = ({ executionId, jobId, parentId, createdAt }: Run) =>
  one([...keys.run(executionId), "since"], "listRuns", {
    query: { jobId, parentId, since: createdAt, limit: MOST_SINCE },
  });
const MOST_SINCE = 50;

export const effects = (id: string) =>
  one([...keys.run(id), "effects"], "listRunEffects", { path: [id] });
export const why = (id: string) =>
  one([...keys.run(id), "why"], "explainRun", { path: [id] }, 15_000);
export const attempts = (id: string) =>
  one([...keys.run(id), "attempts"], "listAttempts", { path: [id] });
export const logEnd = (id: string, lines: number) =>
  queryOptions({
    queryKey: [...keys.run(id), "log-end", lines],
    queryFn: ({ signal }) => readLast(linesOf(id, signal), lines),
  });
export const timeline = (id: string) =>
  one([...keys.run(id), "timeline"], "showTimeline", { path: [id] });
export const nodes = (id: string) => one([...keys.run(id), "nodes"], "showNodes", { path: [id] });

/** The failed runs of a run's nodes and instances. */
export const failedParts = (id: string) =>
  one([...keys.run(id), "failed"], "listRuns", {
    query: { parentId: id, status: "failed", limit: 100 },
  });

export const jobs = () => paged(keys.jobs, "listJobs", () => ({ limit: 500 }));
export const job = (id: string) => one(keys.job(id), "showJob", { path: [id] }, 30_000);
export const newestRun = (jobId: string) =>
  one([...keys.job(jobId), "newest"], "listRuns", { query: { jobId, limit: 1 } });
export const versions = (id: string) =>
  one([...keys.job(id), "versions"], "listVersions", { path: [id] });
export const versionDiff = (id: string, a: number, b: number) =>
  one([...keys.job(id), "diff", a, b], "compareVersions", { path: [id, a, b] });
export const parameters = (id: string) =>
  one([...keys.job(id), "parameters"], "showParameters", { path: [id] });
export const jobStatistics = (id: string, window: string) =>
  one([...keys.job(id), "statistics", window], "showJobStatistics", {
    path: [id],
    query: { window },
  });
export const templates = () => one(keys.templates, "listTemplates", { query: { limit: 500 } });

export const graphs = () => one(keys.graphs, "listGraphs", { query: { limit: 500 } });
export const graph = (name: string) => one(keys.graph(name), "showGraph", { path: [name] });
export const grid = (name: string, runs: number) => ({
  ...one(
    [...keys.graph(name), "grid", runs],
    "showGrid",
    { path: [name], query: { runs } },
    10_000,
  ),
  placeholderData: keepPreviousData,
});

export const schedules = (filter: Query<"listSchedules"> = {}) =>
  paged([...keys.schedules, filter], "listSchedules", () => ({ limit: 100, ...filter }));
export const schedule = (name: string) =>
  one(keys.schedule(name), "showSchedule", { path: [name] });
export const pastFirings = (name: string) => ({
  ...paged([...keys.schedule(name), "firings"], "listFirings", () => ({ limit: 25 }), [name]),
  refetchInterval: 15_000,
});
export const firingsBefore = (name: string, before: string) => ({
  ...one([...keys.schedule(name), "before", before], "listFirings", {
    path: [name],
    query: { before, limit: 200 },
  }),
  staleTime: 15_000,
});
export const upcoming = (from: string, until: string, most: { limit: number; each: number }) => ({
  ...one([...keys.upcoming, from, until, most], "listUpcoming", {
    query: { from, until, ...most },
  }),
  placeholderData: keepPreviousData,
});
export const backfills = () => one(keys.backfills, "listBackfills", {}, 5_000);
export const calendars = () => one(keys.calendars, "listCalendars");
export const blackouts = () => one(keys.blackouts, "listBlackouts");

export const monitors = () => ({
  ...paged(keys.monitors, "listMonitors", () => ({ limit: 100 })),
  refetchInterval: 10_000,
});
export const monitor = (name: string) =>
  one(keys.monitor(name), "showMonitor", { path: [name] }, 5_000);
export const pings = (name: string) => ({
  ...paged([...keys.monitor(name), "pings"], "listPings", () => ({ limit: 25 }), [name]),
  refetchInterval: 5_000,
});
export const ping = (name: string, number: number) =>
  one([...keys.monitor(name), "ping", number], "showPing", { path: [name, number] });

export const queues = () => one(keys.queues, "listQueues", {}, 10_000);
export const queue = (name: string) => one(keys.queue(name), "showQueue", { path: [name] }, 5_000);
export const workers = () => one(keys.workers, "listWorkers", {}, 10_000);
export const breakers = () => one(keys.breakers, "listBreakers", {}, 15_000);
export const deadGroups = () => one(keys.deadGroups, "listLetterGroups", {}, 15_000);
export const deadLetters = (group: string) =>
  paged([...keys.deadLetters, group], "listLetters", () => ({ group }));
export const deadLetter = (id: string) => one(keys.deadLetter(id), "showLetter", { path: [id] });

export const incidents = (filter: Query<"listAlerts">) => ({
  ...paged([...keys.incidents, filter], "listAlerts", () => ({ limit: 50, ...filter })),
  refetchInterval: 10_000,
});
export const openIncidents = () =>
  one([...keys.incidents, "open"], "listAlerts", { query: { status: "open", limit: 6 } }, 10_000);
export const incident = (id: string) =>
  one([...keys.incidents, "one", id], "showAlert", { path: [id] }, 10_000);
export const alertRules = () => one(keys.alertRules, "listAlertRules", {}, 10_000);
export const alertChannels = () => one(keys.alertChannels, "listAlertChannels", {}, 10_000);
export const alertMessages = (filter: Query<"listAlertMessages">) => ({
  ...paged([...keys.alertMessages, filter], "listAlertMessages", () => ({ limit: 50, ...filter })),
  refetchInterval: 5_000,
});
export const newestMessages = (channel: string) =>
  one([...keys.alertMessages, "newest", channel], "listAlertMessages", {
    query: { channel, limit: 20 },
  });

export const audit = (filter: Query<"listEntries">) =>
  paged([...keys.audit, filter], "listEntries", () => ({ limit: 100, ...fromNow(filter) }));
export const tokens = (past: boolean) =>
  paged([...keys.tokens, past], "listTokens", () => ({ limit: 100, past }));
export const namespaces = () => one(keys.namespaces, "listNamespaces");
/** As many as the palette looks through for what may be done to them. */
export const actedJobs = () => one([...keys.jobs, "acted"], "listJobs", { query: { limit: 500 } });
export const actedSchedules = () =>
  one([...keys.schedules, "acted"], "listSchedules", { query: { limit: 500 } });
export const search = (q: string) => ({
  ...one([...keys.search, q], "searchAll", { query: { q } }),
  placeholderData: keepPreviousData,
});
