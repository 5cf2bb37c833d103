import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeCache } from "@/api/cache";
import { Live } from "@/api/live";
import { watchSystemTheme } from "@/lib/theme";
import { LiveContext } from "@/shell/live";
import { Toasts } from "@/ui/Toasts";
import { makeRouter } from "./router";
import "./styles.css";

watchSystemTheme();

const cache = makeCache(() => {
  cache.removeQueries({ queryKey: ["session"] });
  void router.invalidate();
});
const router = makeRouter(cache);
const live = new Live(cache);

// The page comes while the server tells who is there, not after it.
for (const match of router.matchRoutes(router.latestLocation)) {
  void router.loadRouteChunk(router.routesById[match.routeId as keyof typeof router.routesById]);
}

// A new version of the server has other file names; a page that is open must not stay half old.
addEventListener("vite:preloadError", () => location.reload());

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <LiveContext value={live}>
        <RouterProvider router={router} />
        <Toasts />
      </LiveContext>
    </QueryClientProvider>
  </StrictMode>,
);
