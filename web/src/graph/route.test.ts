import { describe, expect, it } from "vitest";
import type { GraphEdge } from "@/api/types";
import { layered } from "./layered";
import { type Arranged, HEIGHT, layout, WIDTH } from "./layout";
import { linesOf } from "./ManyEdges";
import { edgeId, pathThrough } from "./route";

const SPACING = { column: WIDTH + 44, row: HEIGHT + 14, height: HEIGHT };
const WHOLE = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };

/** A chain with edges from its first node to all others, and neighbours on both sides. */
function skipping(long: number): [string[], GraphEdge[]] {
  const chain = Array.from({ length: long }, (_, at) => `n${at}`);
  const sides = chain.slice(1).flatMap((name) => [`${name}-a`, `${name}-b`]);
  const edges = chain
    .slice(1)
    .flatMap((name, at) => [
      { from: `n${at}`, to: name },
      { from: `n${at}`, to: `${name}-a` },
      { from: `n${at}`, to: `${name}-b` },
      ...(at > 0 ? [{ from: "n0", to: name }] : []),
    ]);
  return [[...chain, ...sides], edges];
}

/** Edges whose level parts cross a node. */
function behindNodes({ places, bends }: Arranged): string[] {
  return [...bends].flatMap(([id, points]) =>
    points.some(({ x, y }) =>
      [...places.values()].some(
        (node) => node.x < x + WIDTH && x < node.x + WIDTH && node.y < y && y < node.y + HEIGHT,
      ),
    )
      ? [id]
      : [],
  );
}

describe("edges that skip columns", () => {
  it("pass no node, whoever arranges them", async () => {
    const [names, edges] = skipping(8);
    for (const arranged of [await layout(names, edges), layered(names, edges, SPACING)]) {
      expect(arranged.bends.get(edgeId({ from: "n0", to: "n7" }))).toHaveLength(6);
      expect(arranged.bends.has(edgeId({ from: "n0", to: "n1" }))).toBe(false);
      expect(behindNodes(arranged)).toEqual([]);
    }
  });

  it("of one beginning share their way in a large graph", () => {
    const [names, edges] = skipping(8);
    const { bends } = layered(names, edges, SPACING);
    const far = bends.get(edgeId({ from: "n0", to: "n7" }));
    expect(bends.get(edgeId({ from: "n0", to: "n5" }))).toEqual(far?.slice(0, 4));
  });

  it("go straight where there are too many of them", () => {
    const names = Array.from({ length: 900 }, (_, at) => `n${at}`);
    const edges = names
      .slice(1)
      .flatMap((to, at) => [
        { from: `n${at}`, to },
        ...(at < 890 ? [{ from: `n${at}`, to: `n${at + 10}` }] : []),
      ]);
    const { bends } = layered(names, edges, SPACING);
    expect(bends.size).toBeGreaterThan(400);
    expect(bends.size).toBeLessThan(890);
  });

  it("are level across a column and bow between two", () => {
    const path = pathThrough({ x: 10, y: 5 }, [{ x: 30, y: 9 }], { x: 80, y: 1 }, 40);
    expect(path).toBe("M10 5C20 5 20 9 30 9H70C75 9 75 1 80 1");
  });

  it("are drawn that way among many, also if only their way is in sight", () => {
    const places = new Map([
      ["a", { x: 0, y: 0 }],
      ["b", { x: 900, y: 0 }],
    ]);
    const bends = new Map([["a\0b", [{ x: 400, y: 3000 }]]]);
    const edges = [{ from: "a", to: "b" }];
    const low = { left: 300, top: 2900, right: 700, bottom: 3100 };
    expect(linesOf(edges, places, new Set(), low, bends)[0]).toContain(`H${400 + WIDTH}`);
    expect(linesOf(edges, places, new Set(), low)[0]).toBe("");
    expect(linesOf(edges, places, new Set(["a\0b"]), WHOLE, bends)[1]).toContain("H");
  });
});
