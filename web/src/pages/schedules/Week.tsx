import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarDays, CalendarOff, ChevronLeft, ChevronRight, Clock } from "lucide-react";
import { useMemo } from "react";
import { upcoming } from "@/api/queries";
import type { Upcoming } from "@/api/types";
import { capitalise, count, plural } from "@/lib/format";
import { day, hereZone, hourMinute, weekday } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { useWidth, WIDTHS } from "@/lib/useWidth";
import { Button, IconButton } from "@/ui/Button";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { type Note, notesOf } from "./special";
import { usePast } from "./usePast";
import { WeekGrid } from "./WeekGrid";
import { MARKS } from "./words";

/** Twice an hour; what fires more often would fill the week and tell nothing. */
const OFTEN = 2;
const HOUR_MS = 3_600_000;
/** How many days before today the week begins. */
const PAST_DAYS = 2;

const NOTHING: Upcoming = { items: [], cut: false, frequent: [], daysOff: [], shifts: [] };

/** Seven days around today, a column each; what fires all the time is named once, below. */
export function Week() {
  const [search, setSearch] = useFilters();
  const offset = Number(search.week ?? 0) || 0;
  const [start, end, from] = useMemo(() => spanOf(offset), [offset]);
  const isOver = from >= end;
  const each = Math.max(1, Math.ceil((OFTEN * (end.getTime() - from.getTime())) / HOUR_MS));
  const query = useQuery({
    ...upcoming(from.toISOString(), end.toISOString(), { limit: 5_000, each }),
    enabled: !isOver,
  });
  const coming = isOver ? { ...query, data: NOTHING } : query;
  const move = (by: number) => setSearch({ week: offset + by ? String(offset + by) : undefined });
  return (
    <Card
      title="Firings"
      flush
      aside={
        <span className="flex items-center gap-1">
          <span className="mr-2 max-sm:hidden">{`Your time, ${hereZone()}`}</span>
          <IconButton label="Week before" onClick={() => move(-1)}>
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
      <Load query={coming} lines={8}>
        {(data) => <Span data={data} start={start} end={end} />}
      </Load>
    </Card>
  );
}

/** The first day, the day after the last one, and the moment from which it is still to come. */
function spanOf(offset: number): [Date, Date, Date] {
  const now = new Date();
  const today = new Date(now);
  today.setHours(0, 0, 0, 0);
  const start = daysAfter(today, 7 * offset - PAST_DAYS);
  return [start, daysAfter(start, 7), start < now ? now : start];
}

interface SpanProps {
  data: Upcoming;
  start: Date;
  end: Date;
}

/** A table of hours where there is room, else a list by days. */
function Span({ data, start, end }: SpanProps) {
  const isNarrow = useWidth() < WIDTHS.md;
  const past = usePast(start, end, data.frequent);
  const days = Array.from({ length: 7 }, (_, index) => daysAfter(start, index));
  if (isNarrow || data.items.length + data.frequent.length + past.length === 0)
    return <Days data={data} start={start} />;
  return (
    <>
      <WeekGrid data={data} past={past} days={days} />
      <Below data={data} />
    </>
  );
}

/** By the calendar: a day on which clocks are changed has 23 hours or 25. */
export function daysAfter(start: Date, days: number): Date {
  const date = new Date(start);
  date.setDate(date.getDate() + days);
  return date;
}

function Days({ data, start }: { data: Upcoming; start: Date }) {
  const days = useMemo(() => byDay(data), [data]);
  const last = data.items.at(-1)?.at;
  const told = data.cut && last ? day(new Date(last)) : null;
  const isFull = [...days.values()].some((groups) => groups.length > FULL);
  const columns = Array.from({ length: 7 }, (_, index) => daysAfter(start, index));
  if (data.items.length + data.frequent.length === 0) {
    return (
      <Empty icon={CalendarDays} title="No schedule fires in these seven days">
        Give a job a schedule in code, or choose New schedule.
      </Empty>
    );
  }
  return (
    <>
      <div className="scroll-thin overflow-x-auto">
        <div className="grid min-w-[56rem] grid-cols-7 divide-x divide-line max-md:min-w-0 max-md:grid-cols-1 max-md:divide-x-0 max-md:divide-y">
          {columns.map((date) => {
            const groups = days.get(day(date)) ?? [];
            return (
              <section key={date.toISOString()} className="min-w-0 p-2.5 md:min-h-72">
                <h3
                  className={`mb-2 flex gap-2 text-xs font-semibold ${day(date) === day(new Date()) ? "text-accent" : "text-ink-2"}`}
                >
                  {weekday(date)}
                  <span className="num ml-auto font-normal text-ink-3">{manyOf(groups)}</span>
                </h3>
                <Notes notes={notesOf(data, date)} />
                <ul className="space-y-1">
                  {groups.map((group) => (
                    <li key={group.schedule}>
                      <Link
                        to="/schedules"
                        search={((old: object) => ({ ...old, edit: group.schedule })) as never}
                        title={titleOf(group)}
                        className={`block rounded-md bg-accent-soft px-2 py-1 hover:opacity-80 ${isFull ? "md:flex md:items-baseline md:gap-1.5 md:px-1.5" : ""}`}
                      >
                        <span
                          className={`num block truncate text-2xs text-ink-2 ${isFull ? "md:shrink-0" : ""}`}
                        >
                          {timesOf(group, isFull)}
                        </span>
                        <Name text={group.schedule} className="text-xs font-medium" />
                        {group.marks.map(({ mark, words }) => (
                          <span key={words} className="block text-2xs text-warn">
                            {isFull ? (MARKS[mark] ?? mark) : capitalise(words)}
                            {isFull && <span className="sr-only">{`: ${words}`}</span>}
                          </span>
                        ))}
                      </Link>
                    </li>
                  ))}
                  {groups.length === 0 && (
                    <li className="text-xs text-ink-3">
                      {told && day(date) > told ? "Not counted" : noneOf(data, date)}
                    </li>
                  )}
                </ul>
              </section>
            );
          })}
        </div>
      </div>
      <Below data={data} />
    </>
  );
}

function Below({ data }: { data: Upcoming }) {
  return (
    <>
      {data.frequent.length > 0 && <Frequent names={data.frequent} />}
      {data.cut && (
        <p className="border-t border-line px-4 py-2 text-xs text-ink-2">{`The server stopped after ${plural(data.items.length, "firing")}; there are more after that.`}</p>
      )}
    </>
  );
}

const ICONS = { off: CalendarOff, clock: Clock };

/** What is special about a day stands above its firings, for eyes and readers alike. */
export function Notes({ notes }: { notes: Note[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="mb-2 space-y-1">
      {notes.map(({ kind, text, more }) => {
        const Icon = ICONS[kind];
        return (
          <li
            key={`${text} ${more}`}
            title={`${text}\n${more}`}
            className="rounded-md bg-warn-soft px-2 py-1 text-xs"
          >
            <span className="flex items-start gap-1.5 font-medium text-warn">
              <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
              {text}
            </span>
            <span className="line-clamp-2 text-2xs break-words text-ink-2">{more}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Frequent({ names }: { names: string[] }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2.5 text-xs">
      <span className="text-ink-2">All day, more than twice an hour:</span>
      {names.map((name) => (
        <Link
          key={name}
          to="/schedules"
          search={((old: object) => ({ ...old, edit: name })) as never}
          className="rounded-md bg-accent-soft px-2 py-1 font-medium hover:opacity-80"
        >
          {name}
        </Link>
      ))}
    </div>
  );
}

/** With more than these a day has one line each, where there is a pointer to see the rest. */
const FULL = 10;

function timesOf({ times }: Group, isFull: boolean): string {
  const first = hourMinute(times[0] as string);
  if (isFull && times.length > 1) return `${first} ×${count(times.length)}`;
  if (times.length > 3) return `${count(times.length)} times, from ${first}`;
  return times.map((at) => hourMinute(at)).join(", ");
}

/** How often something fires that day; nothing where the column says so. */
export function manyOf(groups: Group[]): string {
  const many = groups.reduce((sum, each) => sum + each.times.length, 0);
  return many ? plural(many, "firing") : "";
}

const SHOWN = 24;

/** All of its times that day, here and in UTC. */
function titleOf({ schedule, times, marks }: Group): string {
  const shown = times.slice(0, SHOWN);
  const more = times.length > SHOWN ? `, and ${times.length - SHOWN} more` : "";
  const here = shown.map((at) => hourMinute(at)).join(", ");
  const there = shown.map((at) => hourMinute(at, "UTC")).join(", ");
  const special = marks.map(({ words }) => `\n${capitalise(words)}`).join("");
  return `${schedule}\n${here}${more}\n${there}${more} UTC${special}`;
}

/** Today is half over, and what fires all the time is not in the days. */
function noneOf({ frequent }: Upcoming, date: Date): string {
  const isToday = day(date) === day(new Date());
  if (frequent.length > 0) return "Nothing else";
  return isToday ? "Nothing more today" : "Nothing";
}

interface Group {
  schedule: string;
  times: string[];
  /** Why some are not where the plain rule puts them, each once. */
  marks: { mark: string; words: string }[];
}

/** By the viewer's day, then by schedule, in order of the first firing. */
export function byDay(data: Pick<Upcoming, "items">): Map<string, Group[]> {
  const days = new Map<string, Map<string, Group>>();
  for (const item of [...data.items].sort((a, b) => a.at.localeCompare(b.at))) {
    const name = day(new Date(item.at));
    const groups = days.get(name) ?? new Map<string, Group>();
    const group = groups.get(item.schedule) ?? { schedule: item.schedule, times: [], marks: [] };
    group.times.push(item.at);
    const words = item.marks.join("; ");
    if (item.mark && !group.marks.some((each) => each.words === words)) {
      group.marks.push({ mark: item.mark, words });
    }
    groups.set(item.schedule, group);
    days.set(name, groups);
  }
  return new Map([...days].map(([name, groups]) => [name, [...groups.values()]]));
}
