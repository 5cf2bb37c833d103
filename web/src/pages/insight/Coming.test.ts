import { describe, expect, it } from "vitest";
import { barOf, hasSome } from "@/ui/Chart";
import { dueOf } from "./Coming";

const firing = (schedule: string, minute: string) => ({
  schedule,
  job: schedule,
  at: `2026-11-16T19:${minute}:00Z`,
  mark: null,
  marks: [],
});

describe("what is due", () => {
  it("names each schedule once, with its next firing and how many there are", () => {
    const items = [firing("often", "05"), firing("once", "07"), firing("often", "10")];
    expect(dueOf({ items, frequent: [] })).toEqual([
      { schedule: "often", first: "2026-11-16T19:05:00Z", times: 2 },
      { schedule: "once", first: "2026-11-16T19:07:00Z", times: 1 },
    ]);
  });

  it("has those first that fire all the time", () => {
    const [first] = dueOf({ items: [firing("once", "07")], frequent: ["always"] });
    expect(first).toMatchObject({ schedule: "always", first: null });
  });
});

describe("the legend of bars", () => {
  const bar = { label: "Runs", colour: "run-fill", values: [1, 2] };

  it("says how long a bar is", () => {
    const every = (ms: number) => [0, ms].map((each) => new Date(each).toISOString());
    expect(barOf([bar], every(60_000))).toBe("a bar is 1 min");
    expect(barOf([bar], every(3_600_000))).toBe("a bar is 1 hour");
    expect(barOf([bar], every(7_200_000))).toBe("a bar is 2 hours");
    expect(barOf([bar], every(15_000))).toBe("a bar is 15 s");
  });

  it("says nothing of lines, or of one bar alone", () => {
    expect(barOf([{ ...bar, kind: "line" }], ["2026-01-01", "2026-01-02"])).toBe("");
    expect(barOf([bar], ["2026-01-01"])).toBe("");
  });

  it("is there for times of zero, and not for no runs", () => {
    expect(hasSome([{ ...bar, values: [0, 0] }])).toBe(false);
    expect(hasSome([{ ...bar, kind: "line", values: [null, 0] }])).toBe(true);
    expect(hasSome([{ ...bar, kind: "line", values: [null, null] }])).toBe(false);
  });
});
