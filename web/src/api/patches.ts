/** What the stream tells, written into what is on the pages; what did not change stays the same. */
import type { InfiniteData } from "@tanstack/react-query";
import type { Page, Run } from "./types";

/** Several changes of one thing are one. */
export function merge<T>(into: Map<string, Partial<T>>, id: string, change: Partial<T>): void {
  if (typeof id === "string") into.set(id, { ...into.get(id), ...change });
}

type Patch<T> = (item: T, change: Partial<T>) => T;

export function patched<T>(item: T, change: Partial<T>): T {
  return { ...item, ...change };
}

/** Changes tell errors without their tracebacks; one that is known stays, others are asked for. */
export function patchedRun(run: Run, change: Partial<Run>): Run {
  const { error } = change;
  if (!error) return patched(run, change);
  const isKnown = run.error?.type === error.type && run.error.message === error.message;
  const traceback = isKnown ? run.error?.traceback : undefined;
  return { ...run, ...change, error: { ...error, traceback: traceback ?? "" } };
}

export function patchItems<T extends object>(
  items: T[],
  id: keyof T,
  changed: Map<string, Partial<T>>,
  patch: Patch<T>,
): T[] {
  let touched = false;
  const next = items.map((item) => {
    const change = changed.get(String(item[id]));
    if (!change) return item;
    touched = true;
    return patch(item, change);
  });
  return touched ? next : items;
}

export function patchPages(
  data: InfiniteData<Page<Run>> | undefined,
  changed: Map<string, Partial<Run>>,
): InfiniteData<Page<Run>> | undefined {
  if (!data?.pages) return data;
  let touched = false;
  const pages = data.pages.map((page) => {
    const items = patchItems(page.items, "executionId", changed, patchedRun);
    if (items === page.items) return page;
    touched = true;
    return { ...page, items };
  });
  return touched ? { ...data, pages } : data;
}
