import { expect, it } from "vitest";
import { COMPARED_LINES, diffLines } from "./diff";

it("compares texts line by line", () => {
  const { lines, isCut } = diffLines("a\nb\nc", "a\nx\nc");
  expect(lines).toEqual([
    { kind: "same", text: "a" },
    { kind: "gone", text: "b" },
    { kind: "new", text: "x" },
    { kind: "same", text: "c" },
  ]);
  expect(isCut).toBe(false);
});

it("says when there is more than it compares", () => {
  const long = "same\n".repeat(COMPARED_LINES);
  const { lines, isCut } = diffLines(`${long}a`, `${long}b`);
  expect(lines).toHaveLength(COMPARED_LINES);
  expect(isCut).toBe(true);
});
