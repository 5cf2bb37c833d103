import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { JobStatistics } from "@/api/types";
import { count, plural } from "@/lib/format";
import { DAY, weekday } from "@/lib/time";

type Day = JobStatistics["days"][number];

const ROWS = ["Mon", "", "Wed", "", "Fri", "", "Sun"];

/** Runs by day in UTC, a column a week; the part that failed is red, many runs make it darker. */
export function Heat({ days, jobId }: { days: Day[]; jobId: string }) {
  const weeks = useMemo(() => weeksOf(days), [days]);
  const most = Math.max(0, ...days.map((day) => day.success + day.failed));
  return (
    <>
      <div className="flex gap-1.5">
        <div aria-hidden className={`shrink-0 text-2xs text-ink-2 ${ROWS_OF}`}>
          <span />
          {ROWS.map((row, index) => (
            <span key={index} className="pr-1 leading-5">
              {row}
            </span>
          ))}
        </div>
        {weeks.map((week, index) => (
          <div key={index} className={`max-w-24 min-w-0 flex-1 ${ROWS_OF}`}>
            <span aria-hidden className="text-2xs whitespace-nowrap text-ink-2">
              {titleOf(week, index)}
            </span>
            {week.map((day, row) =>
              day ? <Cell key={day.day} day={day} most={most} jobId={jobId} /> : <span key={row} />,
            )}
          </div>
        ))}
      </div>
      <Legend most={most} />
    </>
  );
}

const ROWS_OF = "grid grid-rows-[1rem_repeat(7,1.25rem)] gap-1";

function Cell({ day, most, jobId }: { day: Day; most: number; jobId: string }) {
  const all = day.success + day.failed;
  const told = tellOf(day);
  if (all === 0) return <span title={told} className="h-5 rounded bg-sunken" />;
  const style = { opacity: 0.4 + 0.6 * Math.sqrt(all / most) };
  const from = new Date(`${day.day}T00:00:00Z`);
  const search = {
    jobId,
    since: from.toISOString(),
    until: new Date(from.getTime() + DAY).toISOString(),
  };
  return (
    <Link
      to="/runs"
      search={search as never}
      title={told}
      aria-label={told}
      className="flex h-5 flex-col justify-end overflow-clip rounded bg-ok-fill hover:ring-2 hover:ring-accent"
      style={style}
    >
      {day.failed > 0 && (
        <span className="bg-bad-fill" style={{ height: `${redOf(day.failed / all) * 100}%` }} />
      )}
    </Link>
  );
}

const SEEN = 0.25;

/** A few failures among many are seen too. */
function redOf(share: number): number {
  return Math.max(SEEN, share);
}

const LEGEND = [
  ["bg-sunken", "no runs"],
  ["bg-ok-fill", "all well"],
  ["bg-bad-fill", "some failed"],
];

function Legend({ most }: { most: number }) {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 pt-3 text-xs text-ink-2">
      {LEGEND.map(([fill, word]) => (
        <span key={word} className="flex items-center gap-1.5">
          <span aria-hidden className={`size-3 rounded-[3px] ${fill}`} />
          {word}
        </span>
      ))}
      {most > 0 && (
        <span className="num ml-auto">{`stronger is more; ${plural(most, "run")} at most`}</span>
      )}
    </p>
  );
}

/** "Sun 15 Nov, UTC: 1,204 runs, 12 failed". */
export function tellOf({ day, success, failed }: Day): string {
  const all = success + failed;
  const when = `${weekday(new Date(`${day}T00:00:00Z`), "UTC")}, UTC`;
  if (all === 0) return `${when}: no runs`;
  return `${when}: ${plural(all, "run")}${failed ? `, ${count(failed)} failed` : ", all well"}`;
}

/** The month above the first column and above each that begins one. */
function titleOf(week: (Day | null)[], index: number): string {
  const first = week.find((day) => day?.day.endsWith("-01"));
  const day = first ?? (index === 0 ? week.find(Boolean) : null);
  if (!day) return "";
  const at = new Date(`${day.day}T00:00:00Z`);
  return at.toLocaleDateString("en-GB", { month: "short", timeZone: "UTC" });
}

/** Columns from Monday to Sunday; days without data in between stay empty. */
export function weeksOf(days: Day[]): (Day | null)[][] {
  const known = new Map(days.map((day) => [day.day, day]));
  const sorted = [...known.keys()].sort();
  const first = sorted[0];
  const last = sorted.at(-1);
  if (!first || !last) return [];
  const weeks: (Day | null)[][] = [];
  const cursor = new Date(`${first}T00:00:00Z`);
  cursor.setUTCDate(cursor.getUTCDate() - ((cursor.getUTCDay() + 6) % 7));
  while (cursor.toISOString().slice(0, 10) <= last) {
    const week: (Day | null)[] = [];
    for (let row = 0; row < 7; row++) {
      const name = cursor.toISOString().slice(0, 10);
      const isInside = name >= first && name <= last;
      week.push(known.get(name) ?? (isInside ? { day: name, success: 0, failed: 0 } : null));
      cursor.setUTCDate(cursor.getUTCDate() + 1);
    }
    weeks.push(week);
  }
  return weeks;
}
