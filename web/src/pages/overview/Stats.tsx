import type { Overview } from "@/api/types";
import { atLeast, count, percent, plural } from "@/lib/format";
import { duration } from "@/lib/time";
import { Stat } from "@/ui/Stat";

export function Stats({ figures }: { figures: Overview }) {
  const { workers: alive } = figures;
  const lag = figures.scheduleLagMs;
  const failed = figures.throughput.reduce((sum, each) => sum + each.failed, 0);
  const finished = figures.throughput.reduce((sum, each) => sum + each.success, failed);
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-4 xl:grid-cols-7 max-sm:[&>*:last-child]:col-span-2">
      <Stat
        name="Finished"
        value={count(finished)}
        more={`${perMinute(finished, figures.windowMs)} a minute`}
        to="/runs"
      />
      <Stat
        name="Success rate"
        value={percent(figures.successRate)}
        alarm={(figures.successRate ?? 1) < 0.9}
        to="/runs"
        search={{ status: "failed" }}
        more={plural(failed, "failure")}
      />
      <Stat
        name="Running now"
        value={count(figures.running)}
        to="/runs"
        search={{ status: "running" }}
        more={`${plural(figures.slots, "slot")}${figures.running > figures.slots ? ", some claimed ahead" : ""}`}
      />
      <Stat
        name="Waiting"
        value={atLeast(figures.queueDepth, figures.queueDepthIsCut)}
        to="/queues"
        more={
          figures.oldestWaitMs != null ? `oldest ${duration(figures.oldestWaitMs)}` : "nobody waits"
        }
      />
      <Stat
        name="Schedule lag"
        value={duration(lag.p50)}
        more={lag.p99 == null ? "nothing fired" : `p99 ${duration(lag.p99)}`}
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
        more={
          alive.silent ? `${alive.silent} silent` : alive.alive ? "all heard from" : "none is there"
        }
      />
    </div>
  );
}

function perMinute(runs: number, windowMs: number): string {
  const rate = runs / Math.max(1, windowMs / 60_000);
  return rate > 0 && rate < 10 ? rate.toFixed(1) : count(Math.round(rate));
}
