import { describe, expect, it } from "vitest";
import type { Job, LastRun } from "@/api/types";
import { endedOf } from "./columns";
import { tellOf } from "./Heat";
import { isWanted } from "./Jobs";
import { originOf } from "./origin";

const run = (state: LastRun["state"]): LastRun => ({
  executionId: state,
  state,
  startedAt: null,
  durationMs: null,
});

describe("the figures of a job", () => {
  it("say of how many runs they are", () => {
    expect(endedOf({ last: [] })).toBe("no run has ended yet");
    expect(endedOf({ last: [run("running"), run("failed")] })).toBe("of the only run");
    expect(endedOf({ last: [run("success"), run("failed")] })).toBe("of the last 2 runs");
  });

  it("tell a day in words", () => {
    expect(tellOf({ day: "2026-11-15", success: 0, failed: 0 })).toBe("Sun 15 Nov, UTC: no runs");
    expect(tellOf({ day: "2026-11-15", success: 1192, failed: 12 })).toBe(
      "Sun 15 Nov, UTC: 1,204 runs, 12 failed",
    );
    expect(tellOf({ day: "2026-11-16", success: 1, failed: 0 })).toBe(
      "Mon 16 Nov, UTC: 1 run, all well",
    );
  });

  it("say where a job is defined", () => {
    expect(originOf("code")).toBe("in code");
    expect(originOf("file:shop/jobs.yaml")).toBe("in shop/jobs.yaml");
  });
});

describe("the list of jobs", () => {
  const job = {
    name: "charge",
    queue: "mail",
    kind: "python",
    running: 1,
    queued: 0,
    paused: false,
    schedules: 0,
    successRate: 0.5,
  } as Job;

  it("finds those that fail or run", () => {
    expect(isWanted(job, { state: "failing" })).toBe(true);
    expect(isWanted(job, { state: "running", q: "mail char" })).toBe(true);
    expect(isWanted(job, { state: "paused" })).toBe(false);
    expect(isWanted({ ...job, successRate: null }, { state: "failing" })).toBe(false);
  });

  it("leaves out none for a state it does not know", () => {
    expect(isWanted(job, { state: "odd" })).toBe(true);
  });
});
