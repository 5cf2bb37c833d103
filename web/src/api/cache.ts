import { QueryClient } from "@tanstack/react-query";
import { ApiError, sharing } from "./client";

/** One cache for all that the server told. Asking again cannot cure a refusal, only an outage. */
export function makeCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        structuralSharing: sharing,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        // A browser that calls itself offline may well reach a server of this machine.
        networkMode: "always",
        refetchOnReconnect: true,
        retry: (failures, error) =>
          failures < 3 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (failures) => Math.min(8_000, 500 * 2 ** failures),
      },
    },
  });
}
