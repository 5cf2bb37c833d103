/** Every question that pages ask, with its key in the one cache. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { at, get, type Query } from "./client";
import { asRun, asRuns } from "./shape";
import type * as T from "./types";

const list =
  <Item>(path: string, query: Query = {}) =>
  ({ pageParam, signal }: { pageParam: string | null; signal: AbortSignal }) =>
    get<T.Page<Item>>(path, { ...query, cursor: pageParam }, signal);

function paged<Item>(key: unknown[], path: string, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: list<Item>(path, query),
    initialPageParam: null as string | null,
    getNextPageParam: (page: T.Page<Item>) => page.next,
    placeholderData: keepPreviousData,
  });
}

function one<Answer>(key: unknown[], path: string, query: Query = {}, everyMs?: number) {
  return queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => get<Answer>(path, query, signal),
    ...(everyMs && { refetchInterval: everyMs }),
  });
}

export const session = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => get<T.Session>("/session", {}, signal),
  staleTime: 5 * 60_000,
  retry: false,
});

export const version = () => one<T.Version>(["version"], "/version");
export const overview = (window: string) => ({
  ...one<T.Overview>(["overview", window], "/statistics/overview", { window }, 5_000),
  placeholderData: keepPreviousData,
});
export const forecast = () =>
  one<T.Forecast>(["forecast"], "/statistics/forecast", { hours: 24 }, 300_000);

export const runs = (filter: Query) => ({
  ...paged<T.Run>(["runs", filter], "/runs", { limit: 100, ...filter }),
  queryFn: async (asked: { pageParam: string | null; signal: AbortSignal }) =>
    asRuns(await list<T.Run>("/runs", { limit: 100, ...filter })(asked)),
});
export const run = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: async ({ signal }) =>
      asRun<T.RunDetail>(await get<T.RunDetail>(at`/runs/${id}`, {}, signal)),
    refetchInterval: 15_000,
  });
export const why = (id: string) =>
  one<T.Page<T.Reason>>(["run", id, "why"], at`/runs/${id}/why`, {}, 15_000);
export const attempts = (id: string) =>
  one<T.Page<T.Attempt>>(["run", id, "attempts"], at`/runs/${id}/attempts`);
export const nodes = (id: string) => one<T.GraphOfRun>(["run", id, "nodes"], at`/runs/${id}/nodes`);
export const children = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "children"],
    queryFn: async ({ signal }) =>
      asRuns(await get<T.Page<T.Run>>("/runs", { parentId: id, limit: 500 }, signal)),
  });

export const jobs = () => paged<T.Job>(["jobs"], "/jobs", { limit: 500 });
export const job = (id: string) => one<T.JobDetail>(["job", id], at`/jobs/${id}`, {}, 30_000);
export const versions = (id: string) =>
  one<T.Page<T.JobVersion>>(["job", id, "versions"], at`/jobs/${id}/versions`);
export const versionDiff = (id: string, a: number, b: number) =>
  one<T.VersionDiff>(["job", id, "diff", a, b], at`/jobs/${id}/versions/${a}/diff/${b}`);
export const parameters = (id: string) =>
  one<Record<string, unknown>>(["job", id, "parameters"], at`/jobs/${id}/parameters`);
export const jobStatistics = (id: string, window: string) =>
  one<T.JobStatistics>(["job", id, "statistics", window], at`/jobs/${id}/statistics`, { window });

export const graphs = () => one<T.Page<T.GraphSummary>>(["graphs"], "/graphs");
export const graph = (name: string) => one<T.GraphDefinition>(["graph", name], at`/graphs/${name}`);
export const grid = (name: string) =>
  one<T.Grid>(["graph", name, "grid"], at`/graphs/${name}/grid`, { runs: 30 }, 10_000);

export const schedules = (filter: Query = {}) =>
  paged<T.Schedule>(["schedules", filter], "/schedules", { limit: 100, ...filter });
export const schedule = (name: string) =>
  one<T.ScheduleDetail>(["schedule", name], at`/schedules/${name}`);
export const upcoming = (from: string, until: string) =>
  one<T.Upcoming>(["upcoming", from, until], "/schedules/upcoming", { from, until, limit: 5_000 });
export const backfills = () => one<T.Page<T.Backfill>>(["backfills"], "/backfills");

export const queues = () => one<T.Page<T.Queue>>(["queues"], "/queues", {}, 10_000);
export const workers = () => one<T.Page<T.Worker>>(["workers"], "/workers", {}, 10_000);
export const breakers = () => one<T.Page<T.Breaker>>(["breakers"], "/breakers", {}, 15_000);
export const deadGroups = () =>
  one<T.Page<T.DeadGroup>>(["dead-groups"], "/dead-letters/groups", {}, 15_000);
export const deadLetters = (group: string) =>
  paged<T.DeadLetter>(["dead-letters", group], "/dead-letters", { group });
export const deadLetter = (id: string) =>
  one<T.DeadLetter>(["dead-letter", id], at`/dead-letters/${id}`);

export const audit = (filter: Query) =>
  paged<T.Act>(["audit", filter], "/audit", { limit: 100, ...filter });
export const tokens = () => one<T.Page<T.Token>>(["tokens"], "/tokens");
export const namespaces = () => one<T.Page<T.Namespace>>(["namespaces"], "/namespaces");
export const search = (q: string) => ({
  ...one<T.Found>(["search", q], "/search", { q }),
  placeholderData: keepPreviousData,
});
