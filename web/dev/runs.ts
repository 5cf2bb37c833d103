import type { Run, State } from "../src/api/types.ts";

export type Made = Run;
export const STATES: State[] = [
  "success",
  "failed",
  "running",
  "queued",
  "scheduled",
  "suspended",
  "pending",
  "cancelled",
  "skipped",
];

/** The same noise each time, so that pictures can be compared. */
export function noise(seed: number): number {
  const value = Math.sin(seed * 12.9898) * 43758.5453;
  return value - Math.floor(value);
}

const id = (index: number) =>
  `01930f4e-${(0x7000 + index).toString(16)}-7b2e-9d10-${(0xabcdef000000 + index * 7919).toString(16)}`;

export function makeRuns(jobs: string[], now: number, many: number): Made[] {
  return Array.from({ length: many }, (_, index) => {
    const chance = noise(index);
    const state: State =
      index < 12 && index % 2 === 0
        ? "running"
        : index < 25
          ? (STATES[index % STATES.length] as State)
          : chance < 0.9
            ? "success"
            : chance < 0.97
              ? "failed"
              : "cancelled";
    const created = now - index * 23_000 - 2000;
    const isDone = ["success", "failed", "cancelled"].includes(state);
    const began = isDone || state === "running";
    const took = Math.round(120 + noise(index + 9) ** 3 * 90_000);
    const job = jobs[Math.floor(noise(index + 1) * jobs.length)] as string;
    return {
      executionId: id(index),
      jobId: job,
      job,
      version: 3,
      queue: ["default", "mail", "heavy"][index % 3] as string,
      priority: index % 11 ? 0 : 5,
      state,
      status: state,
      attempt: began ? 1 + (state === "failed" ? 4 : index % 7 ? 0 : 1) : 0,
      failures: state === "failed" ? 4 : 0,
      crashes: 0,
      createdAt: new Date(created).toISOString(),
      dueAt: new Date(created).toISOString(),
      startedAt: began ? new Date(created + 300).toISOString() : null,
      finishedAt: isDone ? new Date(created + 300 + took).toISOString() : null,
      durationMs: isDone ? took : null,
      progress: state === "running" ? Math.round(noise(index) * 100) : null,
      progressNote: state === "running" ? `page ${index * 3} of 240` : null,
      workerId: began ? `01930f4e-7c1a-7b2e-9d10-00000000000${index % 6}` : null,
      schedule: index % 5 ? null : "daily_revenue",
      scheduledFor: index % 5 ? null : new Date(created).toISOString(),
      parentId: null,
      node: null,
      item: null,
      rerunOf: null,
      key: null,
      error:
        state === "failed"
          ? {
              type: "ConnectionResetError",
              message: "connection reset by peer while talking to crm.example.org after 5 attempts",
            }
          : null,
      verbs: isDone ? ["rerun"] : ["cancel"],
    };
  });
}
