import { useMemo } from "react";
import type { JobStatistics } from "@/api/types";
import { plural } from "@/lib/format";

type Day = JobStatistics["days"][number];

/** Runs by day, a column a week; failures turn a day red, many runs make it darker. */
export function Heat({ days }: { days: Day[] }) {
  const weeks = useMemo(() => weeksOf(days), [days]);
  const most = Math.max(1, ...days.map((day) => day.success + day.failed));
  const total = days.reduce((sum, day) => sum + day.success + day.failed, 0);
  return (
    <div className="scroll-thin overflow-x-auto pb-1">
      <div
        role="img"
        aria-label={`${plural(total, "run")} on ${plural(days.length, "day")}`}
        className="flex w-max gap-[3px]"
      >
        {weeks.map((week, index) => (
          <div key={index} className="grid grid-rows-7 gap-[3px]">
            {week.map((day, row) =>
              day ? (
                <span
                  key={day.day}
                  title={`${day.day}: ${day.success} success, ${day.failed} failed`}
                  className={`size-3 rounded-[3px] ${day.failed ? "bg-bad-fill" : day.success ? "bg-ok-fill" : "bg-sunken"}`}
                  style={{ opacity: shade(day, most) }}
                />
              ) : (
                <span key={row} className="size-3" />
              ),
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function shade(day: Day, most: number): number {
  const all = day.success + day.failed;
  return all === 0 ? 1 : 0.4 + 0.6 * Math.sqrt(all / most);
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
