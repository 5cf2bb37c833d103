import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeCache } from "@/api/cache";
import { Live } from "@/api/live";
import { watchSession } from "@/api/session";
import { watchSystemTheme } from "@/lib/theme";
import { LiveContext } from "@/shell/live";
import { Announcer } from "@/ui/Announcer";
import { Toasts, toast } from "@/ui/Toasts";
import { makeRouter } from "./router";
import "./styles.css";

watchSystemTheme();

const cache = makeCache();
const router = makeRouter(cache);
watchSession(cache, {
  reload: () => location.reload(),
  signIn: (address) => location.assign(address),
  isBusy: () => document.querySelector("dialog[open] form") !== null,
  tell: toast.failed,
});
const live = new Live(cache);

// The page comes while the server tells who is there, not after it.
for (const match of router.matchRoutes(router.latestLocation)) {
  void router.loadRouteChunk(router.routesById[match.routeId as keyof typeof router.routesById]);
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <LiveContext value={live}>
        <RouterProvider router={router} />
        <Announcer />
        <Toasts />
      </LiveContext>
    </QueryClientProvider>
  </StrictMode>,
);
