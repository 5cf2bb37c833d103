import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { ApiError, signInAddress } from "@/api/client";
import { session } from "@/api/queries";
import { patiently } from "@/lib/patiently";
import { parseSearch, pick, stringifySearch } from "@/lib/search";
import { RouteError, RouteMissing, RoutePending } from "@/shell/RouteStates";
import { Shell } from "@/shell/Shell";

interface Context {
  cache: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ notFoundComponent: RouteMissing });

const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Shell,
  notFoundComponent: RouteMissing,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.cache.ensureQueryData(session);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      throw redirect({ href: signInAddress(location.href), reloadDocument: true });
    }
  },
});

const under = { getParentRoute: () => inside } as const;

export const RUN_FILTERS = [
  "status",
  "jobId",
  "queue",
  "since",
  "until",
  "schedule",
  "text",
  "error",
  "label",
  "arg",
  "scheduledSince",
  "scheduledUntil",
  "parentId",
  "steps",
] as const;

const routes = [
  createRoute({
    ...under,
    path: "/",
    validateSearch: pick(["window"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/insight/Overview")),
      "Overview",
    ),
  }),
  createRoute({
    ...under,
    path: "/jobs",
    validateSearch: pick(["tab", "q", "state", "kind", "label", "new"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/jobs/Jobs")),
      "Jobs",
    ),
  }),
  createRoute({
    ...under,
    path: "/jobs/$id",
    validateSearch: pick(["tab", "a", "b", "window"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/jobs/JobPage")),
      "JobPage",
    ),
  }),
  createRoute({
    ...under,
    path: "/runs",
    validateSearch: pick(RUN_FILTERS),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/runs/Runs")),
      "Runs",
    ),
  }),
  createRoute({
    ...under,
    path: "/runs/$id",
    validateSearch: pick(["tab", "node", "with", "find", "level"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/runs/RunPage")),
      "RunPage",
    ),
  }),
  createRoute({
    ...under,
    path: "/graphs",
    validateSearch: pick(["q"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/graphs/Graphs")),
      "Graphs",
    ),
  }),
  createRoute({
    ...under,
    path: "/graphs/$name",
    validateSearch: pick(["tab", "node", "run", "runs", "q", "failed"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/graphs/GraphPage")),
      "GraphPage",
    ),
  }),
  createRoute({
    ...under,
    path: "/queues",
    validateSearch: pick(["why"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/admission/Queues")),
      "Queues",
    ),
  }),
  createRoute({
    ...under,
    path: "/queues/$name",
    component: lazyRouteComponent(
      patiently(() => import("@/pages/admission/QueuePage")),
      "QueuePage",
    ),
  }),
  createRoute({
    ...under,
    path: "/workers",
    validateSearch: pick(["id"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/workers/Workers")),
      "Workers",
    ),
  }),
  createRoute({
    ...under,
    path: "/dead-letters",
    validateSearch: pick(["group", "id"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/failures/DeadLetters")),
      "DeadLetters",
    ),
  }),
  createRoute({
    ...under,
    path: "/alerts",
    validateSearch: pick(["tab", "status", "rule", "job", "channel", "id"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/alerts/Alerts")),
      "Alerts",
    ),
  }),
  createRoute({
    ...under,
    path: "/schedules",
    validateSearch: pick(["tab", "q", "week", "edit", "new"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/schedules/Schedules")),
      "Schedules",
    ),
  }),
  createRoute({
    ...under,
    path: "/monitors",
    validateSearch: pick(["q", "id", "new"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/monitors/Monitors")),
      "Monitors",
    ),
  }),
  createRoute({
    ...under,
    path: "/audit",
    validateSearch: pick(["text", "who", "verb", "subject", "since", "act"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/identity/Audit")),
      "Audit",
    ),
  }),
  createRoute({
    ...under,
    path: "/access",
    validateSearch: pick(["tab", "past", "id", "new"]),
    component: lazyRouteComponent(
      patiently(() => import("@/pages/identity/Access")),
      "Access",
    ),
  }),
  createRoute({
    ...under,
    path: "/settings",
    component: lazyRouteComponent(
      patiently(() => import("@/pages/identity/Settings")),
      "Settings",
    ),
  }),
  createRoute({ ...under, path: "$", component: RouteMissing }),
] as const;

export function makeRouter(cache: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([inside.addChildren(routes)]),
    context: { cache },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
    defaultErrorComponent: RouteError,
    defaultPendingComponent: RoutePending,
    defaultPendingMs: 300,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
