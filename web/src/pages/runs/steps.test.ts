import { describe, expect, it } from "vitest";
import { hidesSteps, mayHideSteps } from "./steps";

describe("runs of nodes", () => {
  it("are left out of lists of everything, and of what has ended", () => {
    expect(hidesSteps({})).toBe(true);
    expect(hidesSteps({ status: "failed", since: "24h" })).toBe(true);
    expect(hidesSteps({ schedule: "nightly" })).toBe(true);
  });

  it("are there for who asks for them, or for something that may be one", () => {
    expect(hidesSteps({ steps: "yes" })).toBe(false);
    for (const name of ["jobId", "queue", "text", "error", "parentId"]) {
      expect(mayHideSteps({ [name]: "x" })).toBe(false);
    }
    expect(mayHideSteps({ status: "running" })).toBe(false);
  });
});
