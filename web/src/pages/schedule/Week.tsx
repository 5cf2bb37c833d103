import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo } from "react";
import { upcoming } from "@/api/queries";
import type { Upcoming } from "@/api/types";
import { count, plural } from "@/lib/format";
import { day, hourMinute, weekday } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Button, IconButton } from "@/ui/Button";
import { Name } from "@/ui/Name";
import { Card, Load } from "@/ui/Panels";

const DAY = 24 * 3600 * 1000;
/** Twice an hour; what fires more often would fill the week and tell nothing. */
const OFTEN = 7 * 24 * 2;

/** Seven days from today, a column each; what fires all the time is named once, below. */
export function Week() {
  const [search, setSearch] = useFilters();
  const offset = Number(search.week ?? 0) || 0;
  const start = useMemo(() => startOf(offset), [offset]);
  const query = useQuery(
    upcoming(start.toISOString(), new Date(start.getTime() + 7 * DAY).toISOString(), {
      limit: 5_000,
      each: OFTEN,
    }),
  );
  const move = (by: number) => setSearch({ week: offset + by ? String(offset + by) : undefined });
  return (
    <Card
      title="Coming firings"
      flush
      aside={
        <span className="flex items-center gap-1">
          <IconButton label="Week before" disabled={offset <= 0} onClick={() => move(-1)}>
            <ChevronLeft className="size-4" />
          </IconButton>
          <Button
            tone="quiet"
            disabled={offset === 0}
            onClick={() => setSearch({ week: undefined })}
          >
            This week
          </Button>
          <IconButton label="Week after" onClick={() => move(1)}>
            <ChevronRight className="size-4" />
          </IconButton>
        </span>
      }
    >
      <Load query={query} lines={8}>
        {(data) => <Days data={data} start={start} />}
      </Load>
    </Card>
  );
}

function startOf(offset: number): Date {
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  today.setDate(today.getDate() + 7 * offset);
  return today;
}

function Days({ data, start }: { data: Upcoming; start: Date }) {
  const days = useMemo(() => byDay(data), [data]);
  const last = data.items.at(-1)?.at;
  const told = data.cut && last ? day(new Date(last)) : null;
  const columns = Array.from({ length: 7 }, (_, index) => {
    const date = new Date(start);
    date.setDate(date.getDate() + index);
    return date;
  });
  return (
    <>
      <div className="scroll-thin overflow-x-auto">
        <div className="grid min-w-[56rem] grid-cols-7 divide-x divide-line max-md:min-w-0 max-md:grid-cols-1 max-md:divide-x-0 max-md:divide-y">
          {columns.map((date) => {
            const groups = days.get(day(date)) ?? [];
            return (
              <section key={date.toISOString()} className="min-w-0 p-2.5 md:min-h-72">
                <h3
                  className={`mb-2 text-xs font-semibold ${day(date) === day(new Date()) ? "text-accent" : "text-ink-2"}`}
                >
                  {weekday(date)}
                </h3>
                <ul className="space-y-1">
                  {groups.map((group) => (
                    <li key={group.schedule}>
                      <Link
                        to="/schedules"
                        search={{ edit: group.schedule } as never}
                        title={group.times
                          .slice(0, 24)
                          .map((at) => hourMinute(at))
                          .join(", ")}
                        className="block rounded-md bg-accent-soft px-2 py-1 hover:opacity-80"
                      >
                        <span className="num block truncate text-2xs text-ink-2">
                          {group.times.length > 3
                            ? `${count(group.times.length)} times, from ${hourMinute(group.times[0] as string)}`
                            : group.times.map((at) => hourMinute(at)).join(", ")}
                        </span>
                        <Name text={group.schedule} className="text-xs font-medium" />
                      </Link>
                    </li>
                  ))}
                  {groups.length === 0 && (
                    <li className="text-xs text-ink-3">
                      {told && day(date) > told ? "Not counted" : "Nothing"}
                    </li>
                  )}
                </ul>
              </section>
            );
          })}
        </div>
      </div>
      {data.frequent.length > 0 && <Frequent names={data.frequent} />}
      {data.cut && (
        <p className="border-t border-line px-4 py-2 text-xs text-ink-2">{`The server stopped after ${plural(data.items.length, "firing")}; there are more after that.`}</p>
      )}
    </>
  );
}

function Frequent({ names }: { names: string[] }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2.5 text-xs">
      <span className="text-ink-2">More than twice an hour:</span>
      {names.map((name) => (
        <Link
          key={name}
          to="/schedules"
          search={{ edit: name } as never}
          className="rounded-md bg-accent-soft px-2 py-1 font-medium hover:opacity-80"
        >
          {name}
        </Link>
      ))}
    </div>
  );
}

interface Group {
  schedule: string;
  times: string[];
}

/** By the viewer's day, then by schedule, in order of the first firing. */
export function byDay(data: Upcoming): Map<string, Group[]> {
  const days = new Map<string, Map<string, Group>>();
  for (const item of [...data.items].sort((a, b) => a.at.localeCompare(b.at))) {
    const name = day(new Date(item.at));
    const groups = days.get(name) ?? new Map<string, Group>();
    const group = groups.get(item.schedule) ?? { schedule: item.schedule, times: [] };
    group.times.push(item.at);
    groups.set(item.schedule, group);
    days.set(name, groups);
  }
  return new Map([...days].map(([name, groups]) => [name, [...groups.values()]]));
}
