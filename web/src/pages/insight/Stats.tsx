import type { Overview } from "@/api/types";
import { atLeast, count, percent, plural } from "@/lib/format";
import { DAY, duration, HOUR, MINUTE } from "@/lib/time";
import { Stat } from "@/ui/Stat";

export function Stats({ figures }: { figures: Overview }) {
  const { workers: alive } = figures;
  const lag = figures.scheduleLagMs;
  const failed = figures.throughput.reduce((sum, each) => sum + each.failed, 0);
  const finished = figures.throughput.reduce((sum, each) => sum + each.success, failed);
  return (
    <div className="grid grid-cols-3 gap-3 max-sm:gap-2 sm:grid-cols-4 xl:grid-cols-7">
      <Stat
        name="Finished"
        value={count(finished)}
        more={rate(finished, figures.windowMs)}
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
          figures.oldestWaitMs != null
            ? `oldest ${duration(figures.oldestWaitMs)}`
            : "nothing waits"
        }
      />
      <Stat
        name="Schedule lag"
        value={duration(lag.p50)}
        more={lag.p99 == null ? "nothing fired" : `p99 ${duration(lag.p99)}`}
        to="/schedules"
      />
      <Stat
        className="max-sm:hidden"
        name="Due in an hour"
        value={count(figures.dueNextHour)}
        more="firings of schedules"
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

const UNITS = [
  ["a minute", MINUTE],
  ["an hour", HOUR],
  ["a day", DAY],
] as const;

/** In the shortest unit in which there is at least one. */
export function rate(runs: number, windowMs: number): string {
  if (runs === 0) return "0 a minute";
  for (const [word, unitMs] of UNITS) {
    const many = (runs * unitMs) / windowMs;
    if (many >= 9.95) return `${count(Math.round(many))} ${word}`;
    if (many >= 1) return `${many.toFixed(1).replace(/\.0$/, "")} ${word}`;
  }
  return "less than 1 a day";
}
