/** How a job or a graph did lately and when it runs next, the same in each list of them. */
import type { Job } from "@/api/types";
import { percent } from "@/lib/format";
import { RunStrip } from "@/ui/RunStrip";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";

type Lately = Pick<Job, "name" | "last" | "successRate" | "schedules" | "nextFireAt">;

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
    <span className={(job.successRate ?? 1) < 0.9 ? "font-medium text-bad" : ""}>
      {percent(job.successRate)}
    </span>
  ),
};

export const NEXT_FIRING: Column<Lately> = {
  key: "next",
  title: "Next firing",
  width: "9rem",
  right: true,
  from: "md",
  cell: (job) => <Time at={job.nextFireAt} none={job.schedules ? "Paused" : "No schedule"} />,
};
