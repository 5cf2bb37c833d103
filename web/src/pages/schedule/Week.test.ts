import { afterEach, expect, it } from "vitest";
import { daysAfter } from "./Week";

const zone = process.env.TZ;
afterEach(() => {
  process.env.TZ = zone;
});

it.each([
  ["autumn, 25 hours", "2026-10-20T22:00:00Z", "2026-10-27T23:00:00.000Z"],
  ["spring, 23 hours", "2026-03-24T23:00:00Z", "2026-03-31T22:00:00.000Z"],
])("a week in which clocks are changed is whole: %s", (_, from, until) => {
  process.env.TZ = "Europe/Paris";
  expect(daysAfter(new Date(from), 7).toISOString()).toBe(until);
});
