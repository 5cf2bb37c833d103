import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarDays } from "lucide-react";
import { forecast, upcoming } from "@/api/queries";
import type { Upcoming } from "@/api/types";
import { count, plural } from "@/lib/format";
import { duration, HOUR, hourMinute, MINUTE, utc } from "@/lib/time";
import { Chart } from "@/ui/Chart";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { Time, useNow } from "@/ui/Time";

/** What fires more often than this in an hour is only named. */
const OFTEN = 60;
const SHOWN = 6;

/** What schedules start within the hour, each of them once. */
export function Due({ className }: { className?: string }) {
  const minute = Math.floor(useNow() / MINUTE) * MINUTE;
  const from = new Date(minute).toISOString();
  const until = new Date(minute + HOUR).toISOString();
  const query = useQuery(upcoming(from, until, { limit: 1_000, each: OFTEN }));
  return (
    <Card
      title="Due in the next hour"
      className={className ?? ""}
      flush
      aside={
        <Link to="/schedules" search={{ tab: "week" } as never} className="link">
          Week
        </Link>
      }
    >
      <Load query={query}>
        {(found) => {
          const rows = dueOf(found);
          return rows.length === 0 ? (
            <Empty icon={CalendarDays} title="Nothing is due">
              No schedule fires within the hour.
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {rows.slice(0, SHOWN).map((each) => (
                <Row key={each.schedule} due={each} />
              ))}
              {rows.length > SHOWN && (
                <li className="px-4 py-2.5 text-xs text-ink-2">
                  {`and ${plural(rows.length - SHOWN, "schedule")} more`}
                </li>
              )}
            </ul>
          );
        }}
      </Load>
    </Card>
  );
}

export interface DueSchedule {
  schedule: string;
  /** None of those that fire all the time. */
  first: string | null;
  times: number;
}

/** Schedules in the order of their next firing; those that fire all the time come first. */
export function dueOf({ items, frequent }: Pick<Upcoming, "items" | "frequent">): DueSchedule[] {
  const found = new Map<string, DueSchedule>();
  for (const { schedule, at } of items) {
    const known = found.get(schedule);
    if (known) known.times += 1;
    else found.set(schedule, { schedule, first: at, times: 1 });
  }
  const often = frequent.map((schedule) => ({ schedule, first: null, times: OFTEN }));
  return [...often, ...found.values()];
}

function Row({ due: { schedule, first, times } }: { due: DueSchedule }) {
  return (
    <li>
      <Link
        to="/schedules"
        search={{ edit: schedule } as never}
        className="flex items-center gap-3 px-4 py-2.5 hover:bg-sunken"
      >
        <span className="num w-12 shrink-0 font-medium" title={first ? utc(first) : undefined}>
          {first ? hourMinute(first) : "now"}
        </span>
        <Name text={schedule} className="flex-1" />
        <span className="num text-xs whitespace-nowrap text-ink-2">
          {!first && `more than ${OFTEN} times`}
          {first && times > 1 && `${plural(times, "time")}, `}
          {first && <Time at={first} ago />}
        </span>
      </Link>
    </li>
  );
}

/** Runs and the time they take are two things, so each has a scale of its own. */
export function LoadForecast() {
  const query = useQuery(forecast());
  return (
    <Card title="Expected load, next 24 hours" aside="from schedules and past durations">
      <Load query={query}>
        {({ buckets }) => {
          const times = buckets.map((each) => each.at);
          const runs = buckets.map((each) => each.runs);
          const busy = buckets.map((each) => each.busyMs);
          const unknown = buckets.reduce((sum, each) => sum + each.unknown, 0);
          return (
            <div className="grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-2">
              <Chart
                label="Runs expected over the next 24 hours"
                height={160}
                times={times}
                show={(value) => count(Math.round(value))}
                series={[{ label: total(runs), colour: "run-fill", values: runs }]}
              />
              <Chart
                label="Time at work expected over the next 24 hours"
                height={160}
                unit="time"
                times={times}
                show={duration}
                series={[{ label: work(busy, unknown), colour: "wait-fill", values: busy }]}
              />
            </div>
          );
        }}
      </Load>
    </Card>
  );
}

const sumOf = (values: number[]) => values.reduce((sum, each) => sum + each, 0);
const total = (runs: number[]) => `${plural(Math.round(sumOf(runs)), "run")} start`;

function work(busy: number[], unknown: number): string {
  const left = unknown ? `; without ${plural(unknown, "run")} of unknown length` : "";
  return `${duration(sumOf(busy))} at work${left}`;
}
