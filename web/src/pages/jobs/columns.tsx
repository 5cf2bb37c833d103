/** How a job or a graph did lately and when it runs next, the same in each list of them. */
import type { Job, LastRun } from "@/api/types";
import { atLeast, percent } from "@/lib/format";
import { RunStrip } from "@/ui/RunStrip";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";

type Lately = Pick<Job, "name" | "last" | "successRate" | "schedules" | "nextFireAt">;

/** The server counts no further in each queue. */
const COUNTED = 5_000;

export function queuedOf({ queued = 0 }: Pick<Job, "queued">): string {
  return atLeast(queued, queued >= COUNTED);
}

/** Of its last runs more failed than a few. */
export function isFailing({ successRate }: Pick<Job, "successRate">): boolean {
  return (successRate ?? 1) < 0.9;
}

/** Those that count: what was cancelled or skipped went neither well nor wrong. */
export function countEnded(last: LastRun[]): number {
  return last.filter(({ state }) => state === "success" || state === "failed").length;
}

/** Of which runs the rate tells. */
export function endedOf({ last }: Pick<Job, "last">): string {
  const ended = countEnded(last);
  if (ended === 0) return "no run has ended yet";
  return ended === 1 ? "of the only run" : `of the last ${ended} runs`;
}

export const LAST_RUNS: Column<Lately> = {
  key: "last",
  title: "Last 30 runs",
  width: "10rem",
  from: "md",
  cell: (job) => <RunStrip runs={job.last} label={job.name} />,
};

export const SUCCESS_RATE: Column<Lately> = {
  key: "rate",
  title: "Success",
  width: "5rem",
  right: true,
  cell: (job) => (
    <span className={isFailing(job) ? "font-medium text-bad" : ""}>{percent(job.successRate)}</span>
  ),
};

export const NEXT_FIRING: Column<Lately> = {
  key: "next",
  title: "Next firing",
  width: "9rem",
  right: true,
  from: "md",
  cell: (job) => (
    <Time at={job.nextFireAt} planned none={job.schedules ? "Paused" : "No schedule"} />
  ),
};
