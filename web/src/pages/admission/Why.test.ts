import { describe, expect, it } from "vitest";
import type { Run, Worker } from "@/api/types";
import { crewOf, obstaclesOf } from "./Why";

const worker = (facts: Partial<Worker>) =>
  ({ alive: true, draining: false, queues: ["mail"], slots: 4, busy: 0, ...facts }) as Worker;

describe("why runs of a queue wait", () => {
  it("counts what keeps them, the most frequent first", () => {
    const runs = ["full", "paused", null, "paused"].map((obstacle) => ({ obstacle }) as Run);
    expect(obstaclesOf(runs)).toEqual([
      ["paused", 2],
      ["full", 1],
    ]);
  });

  it("says who serves the queue and whether they have room", () => {
    const crew = [worker({ busy: 9 }), worker({ busy: 1, draining: true })];
    expect(crewOf("mail", crew)).toBe("2 workers serve it: 5 of 8 slots busy, 1 draining.");
    expect(crewOf("mail", [worker({})])).toBe("1 worker serves it: 0 of 4 slots busy.");
  });

  it("says that nobody does, whoever is silent or serves another", () => {
    const others = [worker({ alive: false }), worker({ queues: ["images"] })];
    expect(crewOf("mail", others)).toBe("No worker that is alive serves this queue.");
  });
});
