import { expect, it } from "vitest";
import type { Run } from "@/api/types";
import { effectOf, jobsOf, leftOut } from "./bulk";

const runsOf = (...jobs: string[]) => jobs.map((jobId) => ({ jobId }) as Run);

it("names the jobs with most runs first, and counts the others", () => {
  expect(jobsOf(runsOf("a"))).toBe("All of job a");
  expect(jobsOf(runsOf("a", "b", "b"))).toBe("b (2), a (1)");
  expect(jobsOf(runsOf("a", "b", "b", "c", "d"))).toBe("b (2), a (1), c (1) and 1 other job");
});

it("says how many of the chosen are left alone", () => {
  expect(leftOut(0)).toBe("");
  expect(leftOut(1)).toBe("One of the chosen is left alone: its state does not allow it.");
  expect(leftOut(7)).toBe("7 of the chosen are left alone: their state does not allow it.");
});

it("says of one run and of many what happens to them", () => {
  expect(effectOf("rerun", 1)).toContain("A new run is submitted");
  expect(effectOf("cancel", 2)).toContain("Those that wait never start");
});
