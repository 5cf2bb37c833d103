/** A week as a table: a column for each day, a row for each hour. */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Upcoming } from "@/api/types";
import { capitalise } from "@/lib/format";
import { day, hourMinute, weekday } from "@/lib/time";
import { lookOf } from "@/ui/State";
import { whyNone } from "./PastFirings";
import { notesOf } from "./special";
import { Notes } from "./Week";
import { cellKey, cellsOf, type Past, timesIn, type WeekEntry } from "./weekCells";
import { MARKS } from "./words";

interface Props {
  data: Upcoming;
  past: Past[];
  days: Date[];
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

export function WeekGrid({ data, past, days }: Props) {
  const cells = useMemo(() => cellsOf(data.items, past), [data.items, past]);
  const now = new Date();
  const isNow = (date: Date, hour: number) => day(date) === day(now) && hour === now.getHours();
  return (
    <div className="scroll-thin overflow-x-auto">
      <table className="w-full min-w-[56rem] table-fixed border-separate border-spacing-0">
        <caption className="sr-only">What fires in each hour of these seven days</caption>
        <thead>
          <tr>
            <th scope="col" className="w-12 border-b border-line">
              <span className="sr-only">Hour</span>
            </th>
            {days.map((date) => (
              <th
                key={date.toISOString()}
                scope="col"
                className={`border-b border-l border-line p-2 text-left align-top text-xs font-semibold ${day(date) === day(now) ? "text-accent" : "text-ink-2"}`}
              >
                <span className="mb-1 block">{weekday(date)}</span>
                <Notes notes={notesOf(data, date)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {HOURS.map((hour) => (
            <tr key={hour}>
              <th
                scope="row"
                className="num h-6 border-b border-line pr-2 text-right align-top text-2xs font-normal text-ink-3"
              >
                {`${String(hour).padStart(2, "0")}:00`}
              </th>
              {days.map((date) => (
                <td
                  key={date.toISOString()}
                  className={`border-b border-l border-line p-px align-top ${isNow(date, hour) ? "bg-accent-soft/40 border-t-2 border-t-accent" : ""}`}
                >
                  {(cells.get(cellKey(date, hour)) ?? []).map((entry) => (
                    <Entry key={`${entry.schedule} ${entry.isPast}`} entry={entry} />
                  ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Entry({ entry }: { entry: WeekEntry }) {
  const { schedule, isPast, state, marks } = entry;
  const look = lookOf(state);
  return (
    <Link
      {...wayOf(entry)}
      title={titleOf(entry)}
      className={`mb-px block rounded px-1 text-2xs leading-4 hover:opacity-80 ${isPast ? "bg-sunken" : "bg-accent-soft"}`}
    >
      <span className="flex min-w-0 items-center gap-1">
        {isPast && state && <look.icon aria-hidden className={`size-3 shrink-0 ${inkOf(state)}`} />}
        <span className="num shrink-0 text-ink-2">{timesIn(entry)}</span>
        <span
          className={`truncate font-medium ${isPast && !state ? "text-ink-3 line-through" : ""}`}
        >
          {schedule}
        </span>
        {isPast && <span className="sr-only">{saidOf(entry)}</span>}
      </span>
      {marks.map(({ mark, words }) => (
        <span key={words} className="block truncate text-warn">
          {MARKS[mark] ?? mark}
          <span className="sr-only">{`: ${words}`}</span>
        </span>
      ))}
    </Link>
  );
}

function inkOf(state: string): string {
  if (state === "failed") return "text-bad";
  return state === "success" ? "text-ok" : "text-ink-2";
}

/** To the run of what is past, else to the schedule. */
function wayOf({ schedule, runId }: WeekEntry) {
  if (runId) return { to: "/runs/$id", params: { id: runId } } as const;
  const search = ((old: object) => ({ ...old, edit: schedule })) as never;
  return { to: "/schedules", search } as const;
}

function saidOf({ state, firing }: WeekEntry): string {
  if (state) return lookOf(state).word;
  return firing ? whyNone(firing) : "";
}

/** All of its times in this hour, here and in UTC. */
function titleOf(entry: WeekEntry): string {
  const { schedule, times, isPast, marks } = entry;
  const here = times.map((at) => hourMinute(at)).join(", ");
  const there = times.map((at) => hourMinute(at, "UTC")).join(", ");
  const special = marks.map(({ words }) => capitalise(words));
  return [schedule, here, `${there} UTC`, isPast && saidOf(entry), ...special]
    .filter(Boolean)
    .join("\n");
}
