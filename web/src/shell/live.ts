import { createContext, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { address, at, get } from "@/api/client";
import type { Live } from "@/api/live";
import type { StreamState } from "@/api/stream";
import type { LogLine, Page } from "@/api/types";
import { joined, MOST } from "@/lib/log";

export const LiveContext = createContext<Live | null>(null);

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("there is no live connection above this component");
  return live;
}

export function useStreamState(): StreamState {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, () => live.state);
}

/** The stored lines of a run, page by page, then those that come while it runs. */
export function useLog(runId: string, isRunning: boolean): { lines: LogLine[]; error: unknown } {
  const live = useLive();
  const [lines, setLines] = useState<LogLine[]>([]);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    setLines([]);
    setError(null);
    const add = (more: LogLine[]) => setLines((old) => joined(old, more));
    readAll(runId, add, stop.signal).catch((failure) => {
      if (!stop.signal.aborted) setError(failure);
    });
    const leave = isRunning ? live.followLog(runId, add) : undefined;
    return () => {
      stop.abort();
      leave?.();
    };
  }, [live, runId, isRunning]);
  return { lines, error };
}

async function readAll(
  runId: string,
  add: (lines: LogLine[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let cursor: string | null = null;
  let total = 0;
  do {
    const page: Page<LogLine> = await get(at`/runs/${runId}/logs`, { after: cursor }, signal);
    if (signal.aborted) return;
    add(page.items);
    total += page.items.length;
    cursor = page.next;
  } while (cursor && total < MOST);
}

export function logDownload(runId: string): string {
  return address(at`/runs/${runId}/logs.txt`);
}
