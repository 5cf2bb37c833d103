/** Reads the stored lines of a run: its beginning, at once its end, then what is between, as far as a page keeps it. */
import { ask } from "@/api/client";
import type { LogLine, Page } from "@/api/types";
import { compare, MOST } from "./log";

/** With so many the end is looked for: people want it first. */
const EARLY = 5_000;
/** Of the end, when not everything is kept. */
export const TAIL = 10_000;

export type AskLines = (query: { after?: string | null; last?: number }) => Promise<Page<LogLine>>;

export function linesOf(runId: string, signal?: AbortSignal): AskLines {
  return (query) => ask("showLogs", { path: [runId], query, ...(signal && { signal }) });
}

interface Reader {
  add: (lines: LogLine[]) => void;
  /** The first line of the end, while lines before it are missing; null when none are. */
  onGap: (before: LogLine | null) => void;
}

/** Where to read on; nothing stored yet: from the beginning. */
type Mark = string | null;

/** Each call reads what was stored since the one before, and waits for that one; those that wait are one. */
export function reader(more: AskLines, to: Reader): () => Promise<void> {
  let mark: Mark = null;
  let last: Promise<void> = Promise.resolve();
  let isWaiting = false;
  const read = async () => {
    isWaiting = false;
    mark = mark === null ? await readLog(more, to) : await readOn(more, mark, to);
  };
  return () => {
    if (!isWaiting) last = last.catch(() => undefined).then(read);
    isWaiting = true;
    return last;
  };
}

export async function readLog(more: AskLines, { add, onGap }: Reader): Promise<Mark> {
  let end: End | undefined;
  let total = 0;
  let mark: Mark = null;
  let page = await more({ after: null });
  for (;;) {
    const [next] = page.items;
    if (!next || (end && compare(next, end.first) >= 0)) {
      onGap(null);
      return end?.mark ?? mark;
    }
    if (end && total >= MOST - TAIL) return end.mark;
    add(page.items);
    total += page.items.length;
    mark = page.next;
    page = await more({ after: mark });
    if (!end && total >= EARLY && page.items.length) {
      end = await readEnd(more, add);
      onGap(end?.first ?? null);
    }
  }
}

/** What came since; of very much, the end. */
async function readOn(more: AskLines, from: string, { add, onGap }: Reader): Promise<Mark> {
  let mark = from;
  let total = 0;
  for (;;) {
    const page = await more({ after: mark });
    const last = page.items.at(-1);
    if (!last) return mark;
    add(page.items);
    total += page.items.length;
    mark = page.next ?? mark;
    if (total < TAIL) continue;
    const end = await readEnd(more, add);
    if (end && !follows(last, end.first)) onGap(end.first);
    return end?.mark ?? mark;
  }
}

function follows(line: LogLine, next: LogLine): boolean {
  return compare(next, line) <= 0 || (line.claim === next.claim && next.seq === line.seq + 1);
}

interface End {
  first: LogLine;
  mark: Mark;
}

async function readEnd(more: AskLines, add: Reader["add"]): Promise<End | undefined> {
  let page = await more({ last: TAIL });
  const [first] = page.items;
  let mark: Mark = null;
  while (page.items.length) {
    add(page.items);
    mark = page.next;
    page = await more({ after: mark });
  }
  return first && { first, mark };
}

/** The last lines alone. */
export async function readLast(more: AskLines, lines: number): Promise<LogLine[]> {
  const found: LogLine[] = [];
  let page = await more({ last: lines });
  while (page.items.length) {
    found.push(...page.items);
    page = await more({ after: page.next });
  }
  return found.slice(-lines);
}
