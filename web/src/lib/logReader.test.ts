import { describe, expect, it } from "vitest";
import type { LogLine, Page } from "@/api/types";
import { joined, MOST } from "./log";
import { type AskLines, reader, readLast, readLog, TAIL } from "./logReader";

const PAGE = 4_000;
const WIDE = 45_000;

function line(seq: number): LogLine {
  return { claim: 1, attempt: 1, seq, text: `line ${seq}` } as LogLine;
}

/** A server with so many lines of one claim; notes what it was asked for. */
function serverWith(total: number, asked: object[] = [], page = PAGE): AskLines {
  return async (query) => {
    asked.push(query);
    const from = query.last ? Math.max(0, total - query.last) : Number(query.after ?? 0);
    const length = Math.max(0, Math.min(page, total - from));
    const items = Array.from({ length }, (_, index) => line(from + index + 1));
    return { items, next: items.length ? String(from + length) : null } as Page<LogLine>;
  };
}

async function read(total: number, page = PAGE) {
  const asked: object[] = [];
  let lines: LogLine[] = [];
  let gap: LogLine | null = null;
  await readLog(serverWith(total, asked, page), {
    add: (more) => {
      lines = joined(lines, more);
    },
    onGap: (before) => {
      gap = before;
    },
  });
  return { lines, asked, gap: gap as LogLine | null };
}

describe("a log", () => {
  it("is read page by page when it is short", async () => {
    const { lines, asked, gap } = await read(4_500);
    expect(lines).toHaveLength(4_500);
    expect(gap).toBeNull();
    expect(asked).not.toContainEqual({ last: TAIL });
  });

  it("of some length is read whole, its end before its middle", async () => {
    const { lines, asked, gap } = await read(30_000);
    expect(lines.map((each) => each.seq)).toEqual(
      Array.from({ length: 30_000 }, (_, at) => at + 1),
    );
    expect(gap).toBeNull();
    expect(asked.findIndex((query) => "last" in query)).toBeLessThan(5);
  });

  it("of great length keeps its beginning and its end, and says where lines are missing", async () => {
    const { lines, gap } = await read(200_000);
    expect(lines.length).toBeLessThanOrEqual(MOST);
    expect(lines[0]?.seq).toBe(1);
    expect(lines.at(-1)?.seq).toBe(200_000);
    expect(gap?.seq).toBe(200_000 - TAIL + 1);
  });

  it("has its end even where the first page is as much as a page keeps", async () => {
    const { lines, gap } = await read(200_000, WIDE);
    expect(lines.at(-1)?.seq).toBe(200_000);
    expect(gap?.seq).toBe(200_000 - TAIL + 1);
    expect((await read(WIDE + TAIL, WIDE)).gap).toBeNull();
  });

  it("can be asked for its last lines alone", async () => {
    const asked: object[] = [];
    const last = await readLast(serverWith(200_000, asked), 8);
    expect(last.map((each) => each.seq)).toEqual([
      199_993, 199_994, 199_995, 199_996, 199_997, 199_998, 199_999, 200_000,
    ]);
    expect(asked).toHaveLength(2);
  });
});

describe("a reader of a log", () => {
  /** Pages of two lines, or as many as asked, of what is stored at that time. */
  function served(stored: number[], page = 2) {
    const asked: object[] = [];
    const more: AskLines = async (query) => {
      asked.push(query);
      const from = query.last ? stored.length - query.last : Number(query.after ?? 0);
      const items = stored.filter((seq) => seq > from).slice(0, page);
      return { items: items.map(line), next: items.length ? String(items.at(-1)) : null };
    };
    return { asked, more };
  }

  it("reads to the end, and on from there when lines may have passed", async () => {
    const stored = [1, 2, 3];
    const { asked, more } = served(stored);
    const seen: number[] = [];
    const readOn = reader(more, {
      add: (lines) => seen.push(...lines.map((each) => each.seq)),
      onGap: () => undefined,
    });
    await readOn();
    expect(seen).toEqual([1, 2, 3]);

    stored.push(4, 5, 6);
    await Promise.all([readOn(), readOn()]);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(asked.filter((query) => "after" in query && query.after === null)).toHaveLength(1);
  });

  it("asks again for a page that could not be had", async () => {
    const { asked, more } = served([1]);
    let isCut = true;
    const seen: number[] = [];
    const readOn = reader((query) => (isCut ? Promise.reject(new TypeError("cut")) : more(query)), {
      add: (lines) => seen.push(...lines.map((each) => each.seq)),
      onGap: () => undefined,
    });
    await expect(readOn()).rejects.toThrow("cut");
    isCut = false;
    await readOn();
    expect(asked).toEqual([{ after: null }, { after: "1" }]);
    expect(seen).toEqual([1]);
  });

  it("asks once more, however often lines may have passed while an answer was under way", async () => {
    const { asked, more } = served([1, 2]);
    const seen: number[] = [];
    const readOn = reader(more, {
      add: (lines) => seen.push(...lines.map((each) => each.seq)),
      onGap: () => undefined,
    });
    await readOn();
    const before = asked.length;
    await Promise.all(Array.from({ length: 100 }, async () => readOn()));
    expect(asked.length - before).toBeLessThanOrEqual(2);
    await readOn();
    expect(asked.length - before).toBeLessThanOrEqual(3);
    expect(seen).toEqual([1, 2]);
  });

  it("goes to the end of what became very long meanwhile, and says where lines are missing", async () => {
    const stored = [1];
    const { more } = served(stored, PAGE);
    let lines: LogLine[] = [];
    let gap: LogLine | null = null;
    const readOn = reader(more, {
      add: (added) => {
        lines = joined(lines, added);
      },
      onGap: (before) => {
        gap = before;
      },
    });
    await readOn();
    for (let seq = 2; seq <= 15_000; seq++) stored.push(seq);
    await readOn();
    expect(lines).toHaveLength(15_000);
    expect(gap).toBeNull();

    for (let seq = 15_001; seq <= 60_000; seq++) stored.push(seq);
    await readOn();
    expect(lines.at(-1)?.seq).toBe(60_000);
    expect((gap as LogLine | null)?.seq).toBe(60_000 - TAIL + 1);
  });
});
