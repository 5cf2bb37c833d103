import { describe, expect, it } from "vitest";
import type { GraphNode, Track } from "@/api/types";
import { barsOf, rowsOf } from "./bars";

const at = (second: number) => new Date(second * 1000).toISOString();

function node(name: string, from: number | null, until: number | null, state = "success") {
  return {
    name,
    state,
    startedAt: from === null ? null : at(from),
    finishedAt: until === null ? null : at(until),
  } as GraphNode;
}

function track(name: string, ...parts: [Track["stretches"][number]["part"], number, number][]) {
  const stretches = parts.map(([part, from, until]) => ({
    part,
    startAt: at(from),
    endAt: at(until),
  }));
  return { name, state: "success", attempts: 2, instances: null, stretches } as Track;
}

describe("the rows of a timeline", () => {
  it("are the nodes that began, the first one first", () => {
    const rows = rowsOf([node("late", 5, 6), node("never", null, null), node("early", 1, 2)], []);
    expect(rows.map((row) => row.node.name)).toEqual(["early", "late"]);
  });

  it("begin with the wait and with the first attempt, not with the last one", () => {
    const tried = track(
      "a",
      ["queued", 1, 2],
      ["failed", 2, 3],
      ["queued", 3, 7],
      ["running", 7, 9],
    );
    const [row] = rowsOf([node("a", 7, 9)], [tried]);
    expect([row?.start, row?.ran, row?.end]).toEqual([1000, 2000, 9000]);
    expect([row?.waitedMs, row?.tries]).toEqual([5000, 2]);
  });
});

describe("the bars of a row", () => {
  const bars = (each: GraphNode, tracks: Track[], now: number) =>
    rowsOf([each], tracks).flatMap((row) => barsOf(row, now * 1000));

  it("go on until now while the node runs", () => {
    const begun = track("a", ["queued", 1, 2], ["running", 2, 4]);
    expect(bars(node("a", 2, null, "running"), [begun], 9).at(-1)?.until).toBe(9000);
    expect(bars(node("a", 2, 4), [begun], 9).at(-1)?.until).toBe(4000);
  });

  it("are one from start to end where the server tells no more", () => {
    expect(bars(node("a", 2, 4), [], 9)).toEqual([{ part: "running", from: 2000, until: 4000 }]);
  });
});
