/** Asks again for what is old: not more often than every few seconds, whatever happens meanwhile. */
import {
  hashKey,
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryKey,
} from "@tanstack/react-query";

export const REFRESH_MS = 2_500;
const EVERYTHING: QueryKey = [];

export class Refresher {
  private old = new Map<string, QueryKey>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private rest: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly cache: QueryClient) {}

  /** All whose key begins so will be asked for again soon. */
  mark(key: QueryKey): void {
    this.old.set(hashKey(key), key);
    this.timer ??= setTimeout(() => this.refresh(), REFRESH_MS);
  }

  /** A page whose subject has turned: all of its parts at once, so that they tell the same. */
  now(queryKey: QueryKey): void {
    void this.cache.invalidateQueries({ queryKey, predicate: (query) => !isDeep(query) });
  }

  /** Everything, at once; while that is said again and again, now and then. */
  startOver(): void {
    if (this.rest) {
      clearTimeout(this.rest);
      this.mark(EVERYTHING);
    } else {
      const first = this.cache.getQueryCache().findAll({ predicate: isFirst });
      void this.cache.invalidateQueries();
      for (const query of first) this.mark(query.queryKey);
    }
    this.rest = setTimeout(() => {
      this.rest = null;
    }, REFRESH_MS);
  }

  /** Asks again for what is on the screen; the rest is only marked as old. */
  private refresh(): void {
    this.timer = null;
    const old = this.old;
    this.old = new Map();
    for (const queryKey of old.values()) {
      // An answer that takes longer than our patience would else never come.
      for (const query of this.cache.getQueryCache().findAll({ queryKey, predicate: isUnderWay }))
        this.mark(query.queryKey);
      void this.cache.invalidateQueries({
        queryKey,
        predicate: (query) => !isUnderWay(query) && !isDeep(query),
      });
    }
  }
}

function isUnderWay(query: Query): boolean {
  return query.state.fetchStatus === "fetching";
}

/** Its first answer is under way, and nobody asks anew before it is here. */
function isFirst(query: Query): boolean {
  return isUnderWay(query) && query.state.data === undefined;
}

const DEEP = 5;

/** Who has scrolled far is not at the top, where new rows are; each page of it would be a request. */
function isDeep(query: Query): boolean {
  const data = query.state.data as Partial<InfiniteData<unknown>> | undefined;
  return (data?.pages?.length ?? 0) > DEEP;
}
