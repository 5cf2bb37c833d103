import { afterEach, expect, it } from "vitest";
import { notesOf } from "./special";
import { byDay, daysAfter } from "./Week";

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

it("a day tells its holidays and its changed clocks once each, and whose they are", () => {
  process.env.TZ = "Europe/Paris";
  const at = "2027-03-28T01:00:00.000Z";
  const special = {
    daysOff: [
      { day: "2027-03-28", calendar: "FR", why: "Easter Sunday" },
      { day: "2027-03-28", calendar: "house", why: "Easter Sunday" },
      { day: "2027-03-29", calendar: "", why: "day off" },
    ],
    shifts: [
      { at, zone: "Europe/Paris", seconds: 3600 },
      { at, zone: "Europe/Berlin", seconds: 3600 },
    ],
  };
  expect(notesOf(special, new Date("2027-03-28T12:00:00Z"))).toEqual([
    { kind: "off", text: "Easter Sunday", more: "By FR, house" },
    {
      kind: "clock",
      text: "Clocks go forward 1 h",
      more: "At 03:00, 01:00 UTC, in Europe/Paris, Europe/Berlin",
    },
  ]);
  expect(notesOf(special, new Date("2027-03-29T12:00:00Z"))).toEqual([
    { kind: "off", text: "Day off", more: "By a schedule's own calendar" },
  ]);
});

it("a schedule that fires often on a day says once why it was moved", () => {
  process.env.TZ = "Europe/Paris";
  const moved = { schedule: "s", job: "s", mark: "holiday" as const, marks: ["moved from Monday"] };
  const items = ["09", "10"].map((hour) => ({ ...moved, at: `2027-03-30T${hour}:00:00Z` }));
  expect(byDay({ items }).get("2027-03-30")?.[0]?.marks).toEqual([
    { mark: "holiday", words: "moved from Monday" },
  ]);
});
