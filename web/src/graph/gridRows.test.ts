import { expect, test } from "vitest";
import type { Grid } from "@/api/types";
import { inOrder, isNewVersion, loudestOf, rowsOf, tookMs } from "./gridRows";

type Run = Grid["runs"][number];

function run(executionId: string, scheduledFor: string | null, rest: Partial<Run> = {}): Run {
  return {
    executionId,
    scheduledFor,
    state: "success",
    version: 1,
    createdAt: "2026-03-09T00:00:00Z",
    startedAt: null,
    finishedAt: null,
    ...rest,
  };
}

test("runs stand in the order of the time that they are for, whenever they were made", () => {
  const runs = [
    run("d", "2026-03-05T00:00:00Z"),
    run("c", "2026-03-06T00:00:00Z"),
    run("b", null),
    run("a", "2026-03-07T00:00:00Z"),
  ];

  expect(inOrder(runs).map((each) => each.executionId)).toEqual(["d", "c", "a", "b"]);
});

test("two runs for the same time stand in the order in which they were made", () => {
  const at = "2026-03-05T00:00:00Z";

  expect(inOrder([run("b", at), run("a", at)]).map((each) => each.executionId)).toEqual(["a", "b"]);
});

test("a run that is of another version than the one before it is marked", () => {
  const runs = [run("a", null), run("b", null, { version: 2 }), run("c", null, { version: 2 })];

  expect(runs.map((_, index) => isNewVersion(runs, index))).toEqual([false, true, false]);
});

const GROUPS = new Map([
  ["b", "load"],
  ["d", "load"],
]);

test("nodes of a group stand below its name, where the first of them is", () => {
  expect(rowsOf(["a", "b", "c", "d"], GROUPS, new Set(), () => true)).toEqual([
    { name: "a", inside: ["a"] },
    { name: "load", group: "load", inside: ["b", "d"] },
    { name: "b", of: "load", inside: ["b"] },
    { name: "d", of: "load", inside: ["d"] },
    { name: "c", inside: ["c"] },
  ]);
});

test("a folded group is one row", () => {
  const rows = rowsOf(["a", "b", "c", "d"], GROUPS, new Set(["load"]), () => true);

  expect(rows.map(({ name }) => name)).toEqual(["a", "load", "c"]);
});

test("what is looked for is found in a folded group as well", () => {
  const rows = rowsOf(["a", "b", "c", "d"], GROUPS, new Set(["load"]), (node) => node === "d");

  expect(rows.map(({ name }) => name)).toEqual(["load", "d"]);
});

test("the state that a person should see first stands for a group", () => {
  const cells = { a: "success", b: "failed", c: "running" };

  expect(loudestOf(["a", "b", "c"], cells)).toBe("failed");
  expect(loudestOf(["a", "c"], cells)).toBe("running");
  expect(loudestOf(["z"], cells)).toBeUndefined();
});

test("a run that goes on has taken as long as it has so far", () => {
  const startedAt = "2026-03-09T00:00:00Z";
  const now = Date.parse(startedAt) + 5_000;

  expect(tookMs(run("a", null, { startedAt }), now)).toBe(5_000);
  expect(tookMs(run("a", null, { startedAt, finishedAt: "2026-03-09T00:00:02Z" }), now)).toBe(
    2_000,
  );
  expect(tookMs(run("a", null), now)).toBe(0);
});
