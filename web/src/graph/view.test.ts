import { describe, expect, it } from "vitest";
import type { Drawn } from "./collapse";
import { HEIGHT, type Places, WIDTH } from "./layout";
import { shapesByColour } from "./Minimap";
import { heightFor, isInSight, SMALL, viewOf } from "./view";

const FRAME = { width: 1000, height: 600 };

function column(many: number, states: Record<number, string> = {}) {
  const nodes = Array.from(
    { length: many },
    (_, at) => ({ name: `n${at}`, kind: "work", group: null, state: states[at] }) as Drawn,
  );
  const places: Places = new Map(nodes.map((node, at) => [node.name, { x: 0, y: at * 100 }]));
  return { nodes, places };
}

/** Which nodes are in the frame, whole. */
function inSight({ nodes, places }: ReturnType<typeof column>) {
  const view = viewOf(nodes, places, FRAME);
  return nodes
    .filter((node) => isInSight(places.get(node.name) ?? { x: 0, y: 0 }, view, FRAME))
    .map((node) => node.name);
}

describe("the first look", () => {
  it("is at the whole of a graph that can be read so", () => {
    expect(inSight(column(5))).toHaveLength(5);
  });

  it("is at the whole of three hundred nodes in ten columns", () => {
    const { nodes } = column(300);
    const places: Places = new Map(
      nodes.map(({ name }, at) => [name, { x: Math.floor(at / 30) * 212, y: (at % 30) * 68 }]),
    );
    expect(inSight({ nodes, places })).toHaveLength(300);
  });

  it("is at what failed, if the whole is too small to read", () => {
    const shape = column(1000, { 700: "failed", 10: "running" });
    expect(viewOf(shape.nodes, shape.places, FRAME).zoom).toBeGreaterThan(SMALL);
    expect(inSight(shape)).toContain("n700");
    expect(inSight(shape)).not.toContain("n10");
  });

  it("is at what runs, if nothing failed", () => {
    expect(inSight(column(1000, { 400: "running" }))).toContain("n400");
  });

  it("is at the left where a graph begins, if nothing needs eyes", () => {
    const shape = column(1000);
    shape.places.set("n500", { x: -500, y: 50_000 });
    const { x, zoom } = viewOf(shape.nodes, shape.places, FRAME);
    expect(inSight(shape)).toContain("n500");
    expect(-500 * zoom + x).toBeLessThan(100);
  });
});

describe("the height of a picture", () => {
  it("grows with the graph, up to the most there is", () => {
    expect(heightFor(column(1).places, 900, 700)).toBe(320);
    expect(heightFor(column(1000).places, 900, 700)).toBe(700);
  });
});

describe("the map in the corner", () => {
  it("has one shape for each colour, with all nodes of it", () => {
    const { nodes, places } = column(40, { 0: "failed", 1: "success", 2: "success" });
    const shapes = shapesByColour(nodes, places);
    expect([...shapes.keys()].sort()).toEqual(["bad", "idle", "ok"]);
    expect(shapes.get("ok")?.match(/M/g)).toHaveLength(2);
    expect(shapes.get("idle")?.match(/M/g)).toHaveLength(37);
  });
});

it("a node is in sight only when the frame holds all of it", () => {
  const view = { x: 0, y: 0, zoom: 1 };
  expect(isInSight({ x: 0, y: 0 }, view, FRAME)).toBe(true);
  expect(isInSight({ x: FRAME.width - WIDTH + 1, y: 0 }, view, FRAME)).toBe(false);
  expect(isInSight({ x: 0, y: -1 }, view, FRAME)).toBe(false);
  expect(isInSight({ x: 0, y: FRAME.height - HEIGHT }, { ...view, y: 1 }, FRAME)).toBe(false);
});
