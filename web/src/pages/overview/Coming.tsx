import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarDays } from "lucide-react";
import { forecast, upcoming } from "@/api/queries";
import { count } from "@/lib/format";
import { hourMinute } from "@/lib/time";
import { Chart } from "@/ui/Chart";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { Time, useNow } from "@/ui/Time";

const HOUR_MS = 3_600_000;
/** What fires more often than this in an hour is named once. */
const OFTEN = 12;
const SHOWN = 6;

/** What schedules start within the hour. */
export function Due({ className }: { className?: string }) {
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const from = new Date(minute).toISOString();
  const until = new Date(minute + HOUR_MS).toISOString();
  const query = useQuery(upcoming(from, until, { limit: 50, each: OFTEN }));
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
        {({ items, frequent }) =>
          items.length + frequent.length === 0 ? (
            <Empty icon={CalendarDays} title="Nothing is due">
              No schedule fires within the hour.
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {items.slice(0, SHOWN).map((each) => (
                <Row key={`${each.at} ${each.schedule}`} schedule={each.schedule}>
                  <span className="num w-12 shrink-0 font-medium">{hourMinute(each.at)}</span>
                  <Name text={each.schedule} className="flex-1" />
                  <span className="text-xs text-ink-2">
                    <Time at={each.at} ago />
                  </span>
                </Row>
              ))}
              {frequent.slice(0, SHOWN - Math.min(SHOWN - 2, items.length)).map((schedule) => (
                <Row key={schedule} schedule={schedule}>
                  <span className="w-12 shrink-0 text-xs text-ink-2">often</span>
                  <Name text={schedule} className="flex-1" />
                </Row>
              ))}
            </ul>
          )
        }
      </Load>
    </Card>
  );
}

function Row({ schedule, children }: { schedule: string; children: React.ReactNode }) {
  return (
    <li>
      <Link
        to="/schedules"
        search={{ edit: schedule } as never}
        className="flex items-center gap-3 px-4 py-2.5 hover:bg-sunken"
      >
        {children}
      </Link>
    </li>
  );
}

export function LoadForecast() {
  const query = useQuery(forecast());
  return (
    <Card title="Expected load, next 24 hours" aside="from schedules and past durations">
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
