import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client";

/** One cache for all that the server told. Asking again cannot cure a refusal, only an outage. */
export function makeCache(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (error instanceof ApiError && error.status === 401 && query.queryKey[0] !== "session")
          onSignedOut();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) =>
          failures < 3 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (failures) => Math.min(8_000, 500 * 2 ** failures),
      },
    },
  });
}
