import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { isStep, type Search } from "./search";

/** The filters in the address, and a way to change some of them. */
export function useFilters(): [Search, (patch: Search) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = useCallback(
    (patch: Search) =>
      void navigate({
        to: ".",
        search: ((old: Search) => ({ ...old, ...patch })) as never,
        replace: !isStep(patch),
        resetScroll: false,
      }),
    [navigate],
  );
  return [search, change];
}
