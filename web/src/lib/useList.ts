import {
  type InfiniteData,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { Page } from "@/api/types";

type Options<T> = UseInfiniteQueryOptions<
  Page<T>,
  Error,
  InfiniteData<Page<T>>,
  unknown[],
  string | null
>;

/** A paged list as one array, with what a table needs to ask for more. */
export function useList<T>(options: unknown) {
  const query = useInfiniteQuery(options as Options<T>);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return {
    rows,
    onEnd,
    loading: query.isPending,
    error: query.error,
    refetch: query.refetch,
    more: hasNextPage,
  };
}
