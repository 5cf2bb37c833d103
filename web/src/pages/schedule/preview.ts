import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { post } from "@/api/client";
import type { Preview } from "@/api/types";

export interface Asked {
  expression: string;
  zone: string;
  dialect?: string | undefined;
  count?: number;
}

/** What a line means and when it fires, asked from the server: it alone knows the rules. */
export function usePreview(asked: Asked) {
  return useQuery({
    queryKey: ["preview", asked],
    queryFn: ({ signal }) =>
      post<Preview>("/schedules/preview", { count: 10, ...asked }, { signal }),
    enabled: asked.expression.trim() !== "",
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });
}
