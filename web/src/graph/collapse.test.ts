import { describe, expect, it } from "vitest";
import type { Attempt, LogLine, Run } from "@/api/types";
import { joined } from "@/lib/log";
import { weeksOf } from "@/pages/jobs/Heat";
import { withLatest } from "@/pages/runs/Attempts";
import { byDay } from "@/pages/schedules/Week";
import { collapse, GROUP, groupsOf, type Shape } from "./collapse";
import { layered } from "./layered";
import { layout } from "./layout";

const WORK = { job: "j", kind: "work", join: "all_success" } as const;

const SHAPE: Shape = {
  nodes: [
    { ...WORK, name: "a", group: "in", state: "success" },
    { ...WORK, name: "b", group: "in", state: "failed", critical: true },
    { ...WORK, name: "c", group: null, state: "pending" },
  ],
  edges: [
    { from: "a", to: "b" },
    { from: "a", to: "c" },
    { from: "b", to: "c" },
  ],
};

describe("closed groups", () => {
  it("stand for their nodes, with counts and the loudest state", () => {
    const { nodes, edges } = collapse(SHAPE, new Set(["in"]));
    const group = nodes.find((node) => node.name === `${GROUP}in`);
    expect(nodes).toHaveLength(2);
    expect(group).toMatchObject({
      state: "failed",
      critical: true,
      inside: ["a", "b"],
      counts: { success: 1, failed: 1 },
    });
    expect(edges).toEqual([{ from: `${GROUP}in`, to: "c" }]);
  });

  it("change nothing when all are open", () => {
    expect(collapse(SHAPE, new Set())).toEqual({ nodes: SHAPE.nodes, edges: SHAPE.edges });
    expect(groupsOf(SHAPE)).toEqual(["in"]);
  });
});

describe("places", () => {
  it("go from left to right along the edges, and edges to nowhere do no harm", async () => {
    const { places } = await layout(["a", "b", "c"], [...SHAPE.edges, { from: "c", to: "gone" }]);
    const x = (name: string) => places.get(name)?.x ?? Number.NaN;
    expect(x("a")).toBeLessThan(x("b"));
    expect(x("b")).toBeLessThan(x("c"));
  });
});

describe("places of large graphs", () => {
  const names = Array.from({ length: 1000 }, (_, index) => `n${index}`);
  const edges = names.slice(20).map((to, index) => ({ from: `n${index}`, to }));
  const { places } = layered(names, edges, { column: 200, row: 60, height: 52 });

  it("go from left to right along every edge", () => {
    for (const { from, to } of edges) {
      expect(places.get(from)?.x ?? Number.NaN).toBeLessThan(places.get(to)?.x ?? Number.NaN);
    }
  });

  it("never lie on one another", () => {
    expect(new Set([...places.values()].map(({ x, y }) => `${x} ${Math.round(y)}`)).size).toBe(
      1000,
    );
  });

  it("keep chains straight", () => {
    expect(places.get("n980")?.y).toBe(places.get("n0")?.y);
  });

  it("survive a circle", () => {
    const ring = layered(
      ["a", "b"],
      [
        { from: "a", to: "b" },
        { from: "b", to: "a" },
      ],
      { column: 1, row: 1, height: 1 },
    );
    expect(ring.places.size).toBe(2);
  });
});

describe("lines of a log", () => {
  const line = (claim: number, seq: number): LogLine => ({
    claim,
    seq,
    at: "",
    attempt: claim,
    stream: "stdout",
    level: "info",
    text: "",
  });

  it("come once and in order, though they are read and sent", () => {
    const read = joined([line(1, 4), line(1, 5)], [line(1, 1), line(1, 2), line(1, 4)]);
    expect(read.map((each) => each.seq)).toEqual([1, 2, 4, 5]);
  });

  it("of the next claim begin anew after those before", () => {
    const read = joined([line(1, 9)], [line(2, 0), line(2, 1)]);
    expect(read.map((each) => [each.claim, each.seq])).toEqual([
      [1, 9],
      [2, 0],
      [2, 1],
    ]);
  });
});

describe("calendars", () => {
  it("have columns from Monday to Sunday, and days without runs", () => {
    const weeks = weeksOf([
      { day: "2026-11-12", success: 1, failed: 0 },
      { day: "2026-11-16", success: 2, failed: 1 },
    ]);
    expect(weeks).toHaveLength(2);
    expect(weeks[0]?.slice(0, 3)).toEqual([null, null, null]);
    expect(weeks[0]?.[4]).toEqual({ day: "2026-11-13", success: 0, failed: 0 });
    expect(weeks[1]?.[0]?.failed).toBe(1);
    expect(weeks[1]?.[1]).toBeNull();
  });

  it("gather the firings of a schedule by day", () => {
    const noon = (day: number) => new Date(2026, 10, day, 12).toISOString();
    const item = (at: string, schedule: string) => ({
      at,
      schedule,
      job: "j",
      mark: null,
      marks: [],
    });
    const days = byDay({
      items: [item(noon(17), "b"), item(noon(16), "a"), item(noon(16), "a")],
    });
    expect([...days.keys()]).toEqual(["2026-11-16", "2026-11-17"]);
    expect(days.get("2026-11-16")?.[0]?.times).toHaveLength(2);
  });
});

describe("attempts", () => {
  const tried = (number: number, kind: string) => ({ number, kind }) as Attempt;
  const run = { attempt: 2, state: "success", startedAt: "b", finishedAt: "c" } as Run;

  it("end with the one that the run itself tells of", () => {
    expect(withLatest([tried(1, "error")], run).map((each) => each.kind)).toEqual([
      "error",
      "success",
    ]);
  });

  it("are not told twice", () => {
    expect(
      withLatest([tried(2, "error"), tried(1, "lost")], run).map((each) => each.number),
    ).toEqual([1, 2]);
  });
});
