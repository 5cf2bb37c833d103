import { useQuery } from "@tanstack/react-query";
import { jobStatistics } from "@/api/queries";
import type { JobDetail, JobStatistics } from "@/api/types";
import { count, percent } from "@/lib/format";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Chart } from "@/ui/Chart";
import { Card, Load } from "@/ui/Panels";
import { Stat } from "@/ui/Stat";
import { Time } from "@/ui/Time";
import { Windows } from "@/ui/Windows";
import { endedOf, isFailing, queuedOf } from "./columns";
import { Heat } from "./Heat";
import { LastRuns } from "./LastRuns";

const WINDOWS = [
  ["6h", "6 hours"],
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;

/** How a job does: now, lately, and day by day. */
export function Figures({ job }: { job: JobDetail }) {
  const [search, setSearch] = useFilters();
  const window = search.window ?? "24h";
  const query = useQuery(jobStatistics(job.jobId, window));
  const month = useQuery(jobStatistics(job.jobId, "30d"));
  return (
    <div className="space-y-4">
      <Stats job={job} />
      <div className="grid gap-4 xl:grid-cols-2">
        <LastRuns job={job} />
        <Card title="Runs by day" aside="30 days, UTC">
          <Load query={month}>{({ days }) => <Heat days={days} jobId={job.jobId} />}</Load>
        </Card>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3 pt-1">
        <h2 className="text-sm font-semibold">Over time</h2>
        <Windows
          options={WINDOWS}
          value={window}
          onChange={(each) => setSearch({ window: each })}
        />
      </div>
      <Load query={query}>{(found) => <Charts found={found} />}</Load>
    </div>
  );
}

function Stats({ job }: { job: JobDetail }) {
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        name="Success rate"
        value={percent(job.successRate)}
        alarm={isFailing(job)}
        more={endedOf(job)}
        to="/runs"
        search={{ jobId: job.jobId, status: "failed" }}
      />
      <Stat
        name="p95 duration"
        value={duration(job.p95Ms)}
        more={job.p95Ms == null ? "no run succeeded yet" : "19 of 20 are faster"}
      />
      <Stat
        name="Running now"
        value={count(job.running)}
        more={`${queuedOf(job)} queued`}
        to="/runs"
        search={{ jobId: job.jobId, status: job.running ? "running" : "queued" }}
      />
      <Stat
        name="Next firing"
        value={<Time at={job.nextFireAt} ago none="–" />}
        more={<Time at={job.nextFireAt} planned none={job.schedules ? "paused" : "no schedule"} />}
        to="."
        search={{ tab: "schedules" }}
      />
    </div>
  );
}

function Charts({ found: { buckets } }: { found: JobStatistics }) {
  const times = buckets.map((each) => each.at);
  const one = (label: string, colour: string, key: "p50Ms" | "p95Ms") => ({
    label,
    colour,
    kind: "line" as const,
    values: buckets.map((each) => each[key]),
  });
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <Card title="Duration">
        <Chart
          label="Median and 95th percentile of the duration"
          times={times}
          show={duration}
          unit="time"
          series={[one("Median", "run-fill", "p50Ms"), one("p95", "wait-fill", "p95Ms")]}
        />
      </Card>
      <Card title="Finished runs">
        <Chart
          label="Runs that ended well and runs that failed"
          stacked
          times={times}
          show={count}
          series={[
            { label: "Success", colour: "ok-fill", values: buckets.map((each) => each.success) },
            { label: "Failed", colour: "bad-fill", values: buckets.map((each) => each.failed) },
          ]}
        />
      </Card>
    </div>
  );
}
