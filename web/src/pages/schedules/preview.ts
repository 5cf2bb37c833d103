import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ask, type Body } from "@/api/client";

export type Asked = Body<"previewSchedule">;

/** What a line means and when it fires, asked from the server: it alone knows the rules. */
export function usePreview(asked: Asked) {
  return useQuery({
    queryKey: ["preview", asked],
    queryFn: ({ signal }) => ask("previewSchedule", { body: { count: 10, ...asked }, signal }),
    enabled: (asked.expression ?? "").trim() !== "",
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });
}
