import { describe, expect, it } from "vitest";
import { headOf, type Plan, startsOf } from "./Planned";

function plan(starts: boolean[], instants = starts.length): Plan {
  const planned = starts.map((each, index) => ({
    at: `2026-11-${String(index + 1).padStart(2, "0")}T02:30:00Z`,
    starts: each,
    state: each ? null : "success",
  }));
  return { planned, instants };
}

describe("what a backfill would start", () => {
  it("is counted before anything starts", () => {
    expect(startsOf(plan([true, false, true]))).toEqual({ most: 2, submit: "Start 2 runs" });
    expect(headOf(plan([true, false, true]))).toBe("2 of 3 times would start a run");
    expect(headOf(plan([true]))).toBe("1 run would start");
  });

  it("is nothing where all has run", () => {
    expect(startsOf(plan([false]))).toEqual({ most: 0, submit: "Nothing to start" });
    expect(headOf(plan([false]))).toBe("Nothing is missing in this range");
  });

  it("has an upper bound where the server shows only the first", () => {
    expect(startsOf(plan([true, false], 2016)).submit).toBe("Start up to 2,015 runs");
    expect(headOf(plan([true, false], 2016))).toBe("The first 2 of 2,016 times");
  });
});
