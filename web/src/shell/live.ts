import {
  createContext,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { ask } from "@/api/client";
import type { Live, LiveState } from "@/api/live";
import type { LogLine, Page } from "@/api/types";
import { joined, placeOf } from "@/lib/log";
import { linesOf, reader } from "@/lib/logReader";

export const LiveContext = createContext<Live | null>(null);

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("there is no live connection above this component");
  return live;
}

export function useStreamState(): LiveState {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, () => live.state);
}

interface Log {
  lines: LogLine[];
  error: unknown;
  /** All that is stored is here: an empty log is empty. */
  isRead: boolean;
  /** The place of the line before which lines are missing. */
  gap: string | null;
  retry: () => void;
}

/** The stored lines of a run, page by page, and those that come while it runs. */
export function useLog(runId: string, isRunning: boolean): Log {
  const live = useLive();
  const [lines, setLines] = useState<LogLine[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [isRead, setRead] = useState(false);
  const [gap, setGap] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  const shown = useRef(runId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try reads it anew
  useEffect(() => {
    const stop = new AbortController();
    // When a run ends its lines stay where they are; another one has others.
    if (shown.current !== runId) {
      setLines([]);
      setRead(false);
      setGap(null);
    }
    shown.current = runId;
    const add = (more: LogLine[]) => setLines((old) => joined(old, more));
    const onGap = (before: LogLine | null) => setGap(before && placeOf(before));
    const readOn = reader(linesOf(runId, stop.signal), { add, onGap });
    const read = () =>
      readOn().then(
        () => {
          setError(null);
          setRead(true);
        },
        (failure: unknown) => {
          if (!stop.signal.aborted) setError(failure);
        },
      );
    const leave = isRunning ? live.followLog(runId, { onLines: add, onGap: read }) : undefined;
    void read();
    return () => {
      stop.abort();
      leave?.();
    };
  }, [live, runId, isRunning, tries]);
  return { lines, error, isRead, gap, retry: () => setTries(tries + 1) };
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
