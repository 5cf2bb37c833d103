import { describe, expect, it } from "vitest";
import { HEIGHT, type Places, WIDTH } from "./layout";
import { linesOf } from "./ManyEdges";

const PLACES: Places = new Map([
  ["a", { x: 0, y: 0 }],
  ["b", { x: 300, y: 0 }],
  ["c", { x: 600, y: 5000 }],
  ["d", { x: 900, y: 5000 }],
]);
const EDGES = [
  { from: "a", to: "b" },
  { from: "b", to: "c" },
  { from: "c", to: "d" },
  { from: "a", to: "gone" },
];
const WHOLE = { left: -1, top: -1, right: 10_000, bottom: 10_000 };
const TOP = { left: 0, top: 0, right: 1000, bottom: 1000 };
const count = (line: string) => line.match(/M/g)?.length ?? 0;

describe("the lines of many edges", () => {
  it("go from the right of a node to the left of the next", () => {
    const [line] = linesOf([{ from: "a", to: "b" }], PLACES, new Set(), WHOLE);
    const length = 300 - WIDTH;
    expect(line.startsWith(`M${WIDTH} ${HEIGHT / 2}c`)).toBe(true);
    expect(line.endsWith(`${length} 0`)).toBe(true);
  });

  it("leave out what does not cross the sight, and nodes that are not there", () => {
    expect(count(linesOf(EDGES, PLACES, new Set(), WHOLE)[0])).toBe(3);
    expect(count(linesOf(EDGES, PLACES, new Set(), TOP)[0])).toBe(2);
  });

  it("set the critical path apart", () => {
    const [plain, marked] = linesOf(EDGES, PLACES, new Set(["b\0c"]), WHOLE);
    expect([count(plain), count(marked)]).toEqual([2, 1]);
  });
});
