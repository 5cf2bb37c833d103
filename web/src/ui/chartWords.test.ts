import { expect, it } from "vitest";
import { stepTo, summaryOf } from "./chartWords";

const TIMES = ["2020-01-01T10:00:00Z", "2020-01-01T10:05:00Z", "2020-01-01T10:10:00Z"];
const show = (value: number) => `${value} runs`;

it("says where a line ends, and how low and high it was", () => {
  const told = summaryOf({ label: "Failed", values: [3, null, 1] }, TIMES, show);
  expect(told).toMatch(/^Failed: 1 runs at the end, lowest 1 runs at .+, highest 3 runs at .+\.$/);
});

it("says little of a line that says little", () => {
  expect(summaryOf({ label: "Failed", values: [2, 2] }, TIMES, show)).toBe(
    "Failed: 2 runs all the time.",
  );
  expect(summaryOf({ label: "Failed", values: [null] }, TIMES, show)).toBe("Failed: nothing.");
});

it.each([
  ["ArrowRight", null, 0],
  ["ArrowRight", 2, 2],
  ["ArrowLeft", null, 2],
  ["ArrowLeft", 1, 0],
  ["Home", 1, 0],
  ["End", null, 2],
  ["Escape", 1, null],
  ["Escape", null, undefined],
  ["x", 1, undefined],
])("%s from %s leads to %s", (key, from, to) => {
  expect(stepTo(key, from, 3)).toBe(to);
});
