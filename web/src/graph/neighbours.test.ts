import { expect, it } from "vitest";
import { entrance, neighbour } from "./neighbours";

const PLACES = new Map([
  ["join", { x: 400, y: 40 }],
  ["above", { x: 200, y: 0 }],
  ["below", { x: 200, y: 80 }],
  ["start", { x: 0, y: 40 }],
]);

it.each([
  ["start", "ArrowRight", "above"],
  ["above", "ArrowDown", "below"],
  ["below", "ArrowUp", "above"],
  ["above", "ArrowRight", "join"],
  ["join", "ArrowLeft", "above"],
  ["start", "ArrowLeft", null],
  ["start", "Enter", null],
  ["gone", "ArrowLeft", null],
])("from %s %s leads to %s", (from, key, to) => {
  expect(neighbour(PLACES, from, key)).toBe(to);
});

it("is entered at the chosen node, or at the leftmost", () => {
  expect(entrance(PLACES, "below")).toBe("below");
  expect(entrance(PLACES, "gone")).toBe("start");
  expect(entrance(PLACES, undefined)).toBe("start");
  expect(entrance(new Map(), undefined)).toBeUndefined();
});
