import { describe, expect, it } from "vitest";
import { stepOf } from "./axis";

describe("marks of a time axis", () => {
  it.each([
    [3_972, 1_000],
    [480, 100],
    [45_000, 10_000],
    [400_000, 120_000],
    [5 * 3_600_000, 3_600_000],
  ])("over %d ms are %d ms apart", (whole, step) => expect(stepOf(whole)).toBe(step));

  it("are few, however long it takes", () => {
    for (const whole of [1, 7, 999, 61_000, 86_400_000, 1e12])
      expect(whole / stepOf(whole)).toBeLessThanOrEqual(6);
  });
});
