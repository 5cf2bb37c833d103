import {
  type InfiniteData,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { isGone } from "@/api/client";
import type { Page } from "@/api/types";

type Options<T> = UseInfiniteQueryOptions<
  Page<T>,
  Error,
  InfiniteData<Page<T>>,
  unknown[],
  string | null
>;

/** Rows that fill a screen: with fewer there is no end to scroll to. */
const SCREEN = 25;

/** Reads all pages while something is looked for among the rows: what fits may be on a later one. */
export function useAllPages({ onEnd }: { onEnd: () => void }, isLookedThrough: boolean): void {
  useEffect(() => {
    if (isLookedThrough) onEnd();
  }, [isLookedThrough, onEnd]);
}

/** A paged list as one array, with what a table needs to ask for more. */
export function useList<T>(options: unknown) {
  const query = useInfiniteQuery(options as Options<T>);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  // A page that had to pass over very many is short or empty, and says where it goes on.
  const isShort = rows.length < SCREEN && hasNextPage && !query.error;
  useEffect(() => {
    if (isShort) onEnd();
  }, [isShort, onEnd]);
  return {
    rows,
    onEnd,
    loading: query.isPending || (isShort && rows.length === 0),
    // Rows that are here stay when they cannot be had anew; that the server is away is told above.
    error: query.data && !isGone(query.error) ? null : query.error,
    refetch: query.refetch,
    more: hasNextPage,
  };
}
