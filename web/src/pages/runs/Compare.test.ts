import { describe, expect, it } from "vitest";
import type { Run } from "@/api/types";
import { bestOf } from "./Compare";

const run = (executionId: string, state: string) =>
  ({ executionId, state, createdAt: "2026-11-15T20:37:52.123Z" }) as Run;

describe("what a failure is compared with", () => {
  it("is the last one before it that went well, though all were made in one millisecond", () => {
    const failed = run("03", "failed");
    const rows = [run("04", "success"), run("02", "success"), run("01", "success")];

    expect(bestOf(failed, rows)?.executionId).toBe("02");
  });
});
