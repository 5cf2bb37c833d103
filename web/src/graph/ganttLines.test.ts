import { expect, test } from "vitest";
import type { GraphNode } from "@/api/types";
import { rowsOf } from "./bars";
import { linesOf } from "./ganttLines";

const at = (second: number) => new Date(second * 1000).toISOString();

function node(name: string, group: string | null, from: number, until: number | null) {
  const state = until === null ? "running" : "success";
  const finishedAt = until === null ? null : at(until);
  return { name, group, state, startedAt: at(from), finishedAt } as GraphNode;
}

const ROWS = rowsOf(
  [
    node("a", null, 1, 2),
    node("b", "load", 2, 4),
    node("c", null, 3, 5),
    node("d", "load", 4, null),
  ],
  [],
);

test("nodes of a group stand together, below its name", () => {
  const names = linesOf(ROWS, new Set()).map((line) => line.group ?? line.row?.node.name);

  expect(names).toEqual(["a", "load", "b", "d", "c"]);
});

test("a folded group is one line, from its first beginning to its last end", () => {
  const lines = linesOf(ROWS, new Set(["load"]));

  expect(lines.map((line) => line.group ?? line.row?.node.name)).toEqual(["a", "load", "c"]);
  expect(lines[1]).toMatchObject({ start: 2000, end: null, state: "running" });
  expect(lines[1]?.members).toHaveLength(2);
});
