import {
  createContext,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { ask } from "@/api/client";
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

interface Log {
  lines: LogLine[];
  error: unknown;
  /** All that is stored is here: an empty log is empty. */
  isRead: boolean;
}

/** The stored lines of a run, page by page, then those that come while it runs. */
export function useLog(runId: string, isRunning: boolean): Log {
  const live = useLive();
  const [lines, setLines] = useState<LogLine[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [isRead, setRead] = useState(false);
  const shown = useRef(runId);
  useEffect(() => {
    const stop = new AbortController();
    // When a run ends its lines stay where they are; another one has others.
    if (shown.current !== runId) {
      setLines([]);
      setRead(false);
    }
    shown.current = runId;
    setError(null);
    const add = (more: LogLine[]) => setLines((old) => joined(old, more));
    readAll(runId, add, stop.signal)
      .then(() => setRead(true))
      .catch((failure) => {
        if (!stop.signal.aborted) setError(failure);
      });
    const leave = isRunning ? live.followLog(runId, add) : undefined;
    return () => {
      stop.abort();
      leave?.();
    };
  }, [live, runId, isRunning]);
  return { lines, error, isRead };
}

async function readAll(
  runId: string,
  add: (lines: LogLine[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let cursor: string | null = null;
  let total = 0;
  do {
    const page: Page<LogLine> = await ask("showLogs", {
      path: [runId],
      query: { after: cursor },
      signal,
    });
    if (signal.aborted) return;
    add(page.items);
    total += page.items.length;
    cursor = page.next;
  } while (cursor && total < MOST);
}

/** All lines of a run as one file, however many there are: the page keeps only the last ones. */
export async function downloadLog(runId: string): Promise<void> {
  const parts: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<LogLine> = await ask("showLogs", {
      path: [runId],
      query: { after: cursor },
    });
    parts.push(...page.items.map(lineOf));
    cursor = page.next;
  } while (cursor);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: "text/plain" }));
  link.download = `${runId}.log`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function lineOf({ at: time, level, stream, text }: LogLine): string {
  return `${time} ${level || stream} ${text}\n`;
}
