import { expect, test } from "vitest";
import { isoDuration, plainDuration } from "./isoDuration";

test.each([
  ["90m", "PT90M"],
  ["1h 30m", "PT1H30M"],
  ["2d12h", "P2DT12H"],
  ["500ms", "PT0.5S"],
  ["1.5s", "PT1.5S"],
  ["pt1h", "PT1H"],
  ["P1D", "P1D"],
])("%s is %s", (typed, iso) => expect(isoDuration(typed)).toBe(iso));

test.each(["", "soon", "5", "1h and more", "P"])("%j is no length of time", (typed) =>
  expect(isoDuration(typed)).toBeNull(),
);

test("one that is stored is shown as people write it", () => {
  expect(plainDuration("PT1H30M")).toBe("1h 30m");
  expect(plainDuration("P2DT0.5S")).toBe("2d 0.5s");
  expect(plainDuration("P1Y")).toBe("P1Y");
});
