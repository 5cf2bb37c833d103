import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, Rocket } from "lucide-react";
import { forecast, overview, runs, workers } from "@/api/queries";
import type { Overview as Figures, Page, Run, Worker } from "@/api/types";
import { count, percent, plural } from "@/lib/format";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Chart } from "@/ui/Chart";
import { Card, Empty, Load, PageHead, Progress } from "@/ui/Panels";
import { Stat } from "@/ui/Stat";
import { Duration, Time } from "@/ui/Time";

const WINDOWS: [string, string][] = [
  ["15m", "15 min"],
  ["1h", "1 hour"],
  ["24h", "24 hours"],
  ["7d", "7 days"],
];

export function Overview() {
  const [search, setSearch] = useFilters();
  const window = search.window ?? "1h";
  const query = useQuery(overview(window));
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <div
            role="radiogroup"
            aria-label="Window"
            className="flex rounded-md border border-line-strong bg-surface p-0.5"
          >
            {WINDOWS.map(([key, title]) => (
              <label
                key={key}
                className="cursor-pointer rounded px-2.5 py-1 text-xs font-medium text-ink-2 has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2"
              >
                <input
                  type="radio"
                  name="window"
                  className="sr-only"
                  checked={key === window}
                  onChange={() => setSearch({ window: key })}
                />
                {title}
              </label>
            ))}
          </div>
        }
      />
      <Load query={query} lines={10}>
        {(figures) => <Body figures={figures} />}
      </Load>
    </>
  );
}

function Body({ figures }: { figures: Figures }) {
  return (
    <div className="space-y-4">
      <Stats figures={figures} />
      <div className="grid gap-4 xl:grid-cols-3">
        <Card title="Finished runs" className="xl:col-span-2" aside={<Rates figures={figures} />}>
          <Chart
            label="Runs that ended well and runs that failed, over time"
            stacked
            height={230}
            times={figures.throughput.map((each) => each.at)}
            show={count}
            series={[
              {
                label: "Success",
                colour: "ok-fill",
                values: figures.throughput.map((each) => each.success),
              },
              {
                label: "Failed",
                colour: "bad-fill",
                values: figures.throughput.map((each) => each.failed),
              },
            ]}
          />
        </Card>
        <Running />
      </div>
      <div className="grid gap-4 xl:grid-cols-3">
        <Failures figures={figures} />
        <LoadForecast />
      </div>
      <Workers />
    </div>
  );
}

function Rates({ figures }: { figures: Figures }) {
  const times = figures.durations;
  return (
    <span className="num">
      {times?.p50Ms != null && `p50 ${duration(times.p50Ms)} · p95 ${duration(times.p95Ms)}`}
      {figures.retryRate != null && ` · ${percent(figures.retryRate)} retried`}
    </span>
  );
}

function Stats({ figures }: { figures: Figures }) {
  const { workers: alive } = figures;
  const lag = figures.scheduleLagMs;
  const isBusy = figures.utilisation != null ? `${percent(figures.utilisation)} busy` : "";
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-6">
      <Stat
        name="Success rate"
        value={percent(figures.successRate)}
        alarm={(figures.successRate ?? 1) < 0.9}
        to="/runs"
        search={{ status: "failed" }}
        more={plural(
          figures.failures.reduce((sum, each) => sum + each.count, 0),
          "failure",
        )}
      />
      <Stat
        name="Running now"
        value={count(figures.running)}
        to="/runs"
        search={{ status: "running" }}
        more={`of ${plural(figures.slots, "slot")}${isBusy && `, ${isBusy}`}`}
      />
      <Stat
        name="Waiting"
        value={count(figures.queueDepth)}
        to="/queues"
        more={
          figures.oldestWaitMs != null ? `oldest ${duration(figures.oldestWaitMs)}` : "nobody waits"
        }
      />
      <Stat
        name="Schedule lag"
        value={duration(lag?.p50)}
        more={`p99 ${duration(lag?.p99)}`}
        to="/schedules"
      />
      <Stat
        name="Due in an hour"
        value={count(figures.dueNextHour)}
        more="by schedules"
        to="/schedules"
        search={{ tab: "week" }}
      />
      <Stat
        name="Workers"
        value={count(alive.alive)}
        alarm={alive.alive === 0}
        to="/workers"
        more={alive.silent ? `${alive.silent} silent` : "all heard from"}
      />
    </div>
  );
}

function Running() {
  const { rows, loading } = useList<Run>(runs({ status: "running", limit: 8 }));
  return (
    <Card
      title="Running now"
      flush
      aside={
        <Link to="/runs" search={{ status: "running" } as never} className="link">
          All
        </Link>
      }
    >
      <ul className="min-h-58 divide-y divide-line">
        {rows.slice(0, 6).map((run) => (
          <li key={run.executionId}>
            <Link
              to="/runs/$id"
              params={{ id: run.executionId }}
              className="flex items-center gap-3 px-4 py-2 hover:bg-sunken"
            >
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{run.jobId}</p>
                <p className="truncate text-xs text-ink-2">{run.progressNote ?? run.queue}</p>
              </div>
              {run.progress != null && (
                <div className="w-16">
                  <Progress share={run.progress / 100} label={`Progress of ${run.jobId}`} />
                </div>
              )}
              <span className="w-16 text-right text-ink-2">
                <Duration from={run.startedAt} until={run.finishedAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {rows.length === 0 && !loading && (
        <p className="-mt-58 px-4 py-6 text-ink-2">Nothing runs at this moment.</p>
      )}
    </Card>
  );
}

function Failures({ figures }: { figures: Figures }) {
  return (
    <Card
      title="Failures by cause"
      flush
      aside={
        <Link to="/dead-letters" className="link">
          Dead letters
        </Link>
      }
    >
      {figures.failures.length === 0 ? (
        <Empty icon={CircleCheck} title="No failures">
          Nothing failed in this window.
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {figures.failures.slice(0, 6).map((each) => (
            <li key={each.fingerprint}>
              <Link
                to="/dead-letters"
                search={{ group: each.fingerprint } as never}
                className="flex gap-3 px-4 py-2.5 hover:bg-sunken"
              >
                <span className="num min-w-8 text-right font-semibold text-bad">
                  {count(each.count)}
                </span>
                <span className="min-w-0 flex-1">
                  <span className="line-clamp-2 font-mono text-xs break-words">{each.error}</span>
                  <span className="block truncate text-xs text-ink-2">
                    {each.job} · <Time at={each.lastAt} ago />
                  </span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function LoadForecast() {
  const query = useQuery(forecast());
  return (
    <Card
      title="Expected load, next 24 hours"
      className="xl:col-span-2"
      aside="from schedules and past durations"
    >
      <Load query={query}>
        {({ buckets }) => (
          <Chart
            label="Busy slots expected over the next 24 hours"
            height={200}
            times={buckets.map((each) => each.at)}
            show={(value) =>
              value < 10 ? String(Math.round(value * 10) / 10) : count(Math.round(value))
            }
            series={[
              { label: "Runs", colour: "idle-fill", values: buckets.map((each) => each.runs) },
              {
                label: "Busy minutes",
                colour: "accent",
                kind: "line",
                values: buckets.map((each) => each.busyMs / 60_000),
              },
            ]}
          />
        )}
      </Load>
    </Card>
  );
}

function Workers() {
  const { data } = useQuery(workers());
  const items = (data as Page<Worker> | undefined)?.items;
  if (!items || items.length > 0) return null;
  return (
    <Card>
      <Empty icon={Rocket} title="No worker runs">
        Runs wait until one starts: <code className="font-mono">rota worker</code>, or{" "}
        <code className="font-mono">rota up</code> for everything in one process.
      </Empty>
    </Card>
  );
}
