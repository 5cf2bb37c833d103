import { useQuery } from "@tanstack/react-query";
import { Rocket } from "lucide-react";
import { lazy, Suspense } from "react";
import { overview, workers } from "@/api/queries";
import type { Overview as Figures } from "@/api/types";
import { count, percent, plural } from "@/lib/format";
import { patiently } from "@/lib/patiently";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Chart } from "@/ui/Chart";
import { Card, Empty, Load, PageHead } from "@/ui/Panels";
import { Windows } from "@/ui/Windows";
import { Attention } from "./Attention";
import { Due, LoadForecast } from "./Coming";
import { Failures } from "./Failures";
import { Queues } from "./Queues";
import { Running } from "./Running";
import { Stats } from "./Stats";

const Beginning = lazy(patiently(() => import("./Beginning")));

const WINDOWS = [
  ["15m", "15 min"],
  ["1h", "1 hour"],
  ["24h", "24 hours"],
  ["7d", "7 days"],
] as const;

export function Overview() {
  const [search, setSearch] = useFilters();
  const window = search.window ?? "1h";
  const query = useQuery(overview(window));
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <Windows
            options={WINDOWS}
            value={window}
            onChange={(each) => setSearch({ window: each })}
          />
        }
      />
      <Load query={query} lines={10}>
        {(figures) => <Body figures={figures} />}
      </Load>
    </>
  );
}

/** On a phone what needs eyes comes first, and charts after it. */
function Body({ figures }: { figures: Figures }) {
  return (
    <div className="space-y-4">
      <Attention concerns={figures.attention} />
      {figures.attention.length === 0 && <Workers />}
      {isQuiet(figures) && (
        <Suspense fallback={null}>
          <Beginning />
        </Suspense>
      )}
      <Stats figures={figures} />
      <div className="grid gap-4 xl:grid-cols-3">
        <Card
          title="Finished runs"
          className="max-xl:order-4 xl:col-span-2"
          aside={<Rates figures={figures} />}
        >
          <Chart
            label="Runs that ended well and runs that failed, over time"
            stacked
            height={hasFailed(figures) ? 190 : 285}
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
          {hasFailed(figures) && <FailuresOverTime figures={figures} />}
        </Card>
        <Running className="max-xl:order-2" />
        <Failures
          figures={figures}
          className={figures.failures.length ? "max-xl:order-1" : "max-xl:order-4"}
        />
        <Due className="max-xl:order-5" />
        <Queues className="max-xl:order-3" />
      </div>
      <LoadForecast />
    </div>
  );
}

function hasFailed(figures: Figures): boolean {
  return figures.throughput.some((each) => each.failed > 0);
}

/** On a scale of their own: beside thousands that ended well a few that failed cannot be seen. */
function FailuresOverTime({ figures }: { figures: Figures }) {
  const many = figures.throughput.reduce((sum, each) => sum + each.failed, 0);
  return (
    <div className="mt-3 border-t border-line pt-3">
      <p className="mb-1 text-xs text-ink-2">
        {`${plural(many, "failed run")}, on a scale of their own`}
      </p>
      <Chart
        label="Runs that failed, over time, on a scale of their own"
        stacked
        height={90}
        times={figures.throughput.map((each) => each.at)}
        show={count}
        series={[
          {
            label: "Failed",
            colour: "bad-fill",
            values: figures.throughput.map((each) => each.failed),
          },
        ]}
      />
    </div>
  );
}

function isQuiet(figures: Figures): boolean {
  const ended = figures.throughput.some((each) => each.success + each.failed > 0);
  return !ended && figures.running + figures.queueDepth + figures.dueNextHour === 0;
}

function Rates({ figures }: { figures: Figures }) {
  const { durations, retryRate, utilisation } = figures;
  const said = [
    durations.p50Ms != null && `median ${duration(durations.p50Ms)}`,
    durations.p95Ms != null && `p95 ${duration(durations.p95Ms)}`,
    retryRate != null && `${percent(retryRate)} retried`,
    utilisation != null && `${percent(utilisation)} of slots busy`,
  ];
  return <span className="num">{said.filter(Boolean).join(" · ")}</span>;
}

function Workers() {
  const { data } = useQuery(workers());
  if (!data || data.items.length > 0) return null;
  return (
    <Card>
      <Empty icon={Rocket} title="No worker runs">
        Runs wait until one starts: <code className="font-mono">rota worker</code>, or{" "}
        <code className="font-mono">rota up</code> for everything in one process.
      </Empty>
    </Card>
  );
}
