import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { may } from "@/api/actions";
import { job as jobQuery, jobStatistics, runs, schedules } from "@/api/queries";
import type { JobDetail, Run, Schedule } from "@/api/types";
import { count, percent } from "@/lib/format";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Actions } from "@/ui/Actions";
import { Chart } from "@/ui/Chart";
import { JsonView } from "@/ui/Json";
import { Card, Empty, Load, PageHead } from "@/ui/Panels";
import { RunStrip } from "@/ui/RunStrip";
import { Stat } from "@/ui/Stat";
import { Tag } from "@/ui/State";
import { Table } from "@/ui/Table";
import { Tabs } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { Heat } from "./job/Heat";
import { Trigger } from "./job/Trigger";
import { Versions } from "./job/Versions";
import { RUN_COLUMNS } from "./runs/columns";
import { ScheduleCard } from "./schedule/ScheduleCard";

const TABS = [
  { key: "overview", title: "Overview" },
  { key: "runs", title: "Runs" },
  { key: "schedules", title: "Schedules" },
  { key: "versions", title: "Versions" },
  { key: "definition", title: "Definition" },
];

export function JobPage() {
  const { id = "" } = useParams({ strict: false });
  const query = useQuery(jobQuery(id));
  return (
    <Load query={query} lines={10}>
      {(job) => <Body job={job} />}
    </Load>
  );
}

function Body({ job }: { job: JobDetail }) {
  const [search] = useFilters();
  const tab = search.tab ?? "overview";
  return (
    <>
      <PageHead
        title={
          <>
            {job.name}
            {job.paused && <Tag>Paused</Tag>}
            {job.breaker && job.breaker !== "closed" && (
              <Tag mood="bad">{`Breaker ${job.breaker}`}</Tag>
            )}
          </>
        }
        about={
          <>
            {`${job.kind} · queue ${job.queue} · v${job.version}`}
            {job.origin && ` · ${job.origin}`}
            {job.note && <p className="mt-1">{job.note}</p>}
          </>
        }
        actions={
          <>
            {job.kind === "graph" && (
              <Link
                to="/graphs/$name"
                params={{ name: job.name }}
                className="self-center px-2 link"
              >
                Graph
              </Link>
            )}
            <Actions subject="job" item={job} id={job.jobId} name={job.name} />
            {may(job, "trigger") && <Trigger job={job} />}
          </>
        }
      />
      <Tabs label="Parts of this job" tabs={TABS} current={tab} />
      {tab === "overview" && <Figures job={job} />}
      {tab === "runs" && <JobRuns job={job} />}
      {tab === "schedules" && <JobSchedules job={job} />}
      {tab === "versions" && <Versions job={job} />}
      {tab === "definition" && (
        <Card>
          <JsonView value={job.definition ?? job} label="Definition" />
        </Card>
      )}
    </>
  );
}

function Figures({ job }: { job: JobDetail }) {
  const query = useQuery(jobStatistics(job.jobId, "7d"));
  return (
    <div className="space-y-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Stat
          name="Success rate"
          value={percent(job.successRate)}
          alarm={(job.successRate ?? 1) < 0.9}
        />
        <Stat name="p95 duration" value={duration(job.p95Ms)} />
        <Stat
          name="Running, queued"
          value={`${count(job.running ?? 0)}, ${count(job.queued ?? 0)}`}
          to="/runs"
          search={{ jobId: job.jobId }}
        />
        <Stat
          name="Next firing"
          value={<Time at={job.nextFireAt} ago none="–" />}
          more={<Time at={job.nextFireAt} none="no schedule" />}
        />
      </div>
      <Card title="Last 30 runs">
        <RunStrip tall runs={job.last ?? []} label={job.name} />
      </Card>
      <Load query={query}>
        {({ buckets, days }) => (
          <div className="grid gap-4 xl:grid-cols-2">
            <Card title="Duration, last 7 days">
              <Chart
                label="Median and 95th percentile of the duration"
                times={buckets.map((each) => each.at)}
                show={duration}
                series={[
                  {
                    label: "p50",
                    colour: "run-fill",
                    kind: "line",
                    values: buckets.map((each) => each.p50Ms ?? null),
                  },
                  {
                    label: "p95",
                    colour: "wait-fill",
                    kind: "line",
                    values: buckets.map((each) => each.p95Ms ?? null),
                  },
                ]}
              />
            </Card>
            <Card title="Runs, last 7 days">
              <Chart
                label="Runs that ended well and runs that failed"
                stacked
                times={buckets.map((each) => each.at)}
                show={count}
                series={[
                  {
                    label: "Success",
                    colour: "ok-fill",
                    values: buckets.map((each) => each.success),
                  },
                  {
                    label: "Failed",
                    colour: "bad-fill",
                    values: buckets.map((each) => each.failed),
                  },
                ]}
              />
            </Card>
            <Card title="Days" className="xl:col-span-2">
              <Heat days={days} />
            </Card>
          </div>
        )}
      </Load>
    </div>
  );
}

function JobRuns({ job }: { job: JobDetail }) {
  const navigate = useNavigate();
  const list = useList<Run>(runs({ jobId: job.jobId }));
  return (
    <Table
      label={`Runs of ${job.name}`}
      rows={list.rows}
      columns={RUN_COLUMNS}
      idOf={(run) => run.executionId}
      onOpen={(run) => void navigate({ to: "/runs/$id", params: { id: run.executionId } })}
      onEnd={list.onEnd}
      loading={list.loading}
      empty={<Empty title="This job has not run yet">Trigger it, or give it a schedule.</Empty>}
    />
  );
}

function JobSchedules({ job }: { job: JobDetail }) {
  const list = useList<Schedule>(schedules({ jobId: job.jobId }));
  const own = list.rows.filter((each) => each.job === job.name);
  if (own.length === 0 && !list.loading) {
    return (
      <Card>
        <Empty title="No schedule fires this job">
          Give it one in code, <code className="font-mono">schedule="0 6 * * *"</code>, or make one
          on the page of schedules.
        </Empty>
      </Card>
    );
  }
  return (
    <div className="space-y-4">
      {own.map((each) => (
        <ScheduleCard key={each.name} schedule={each} />
      ))}
    </div>
  );
}
