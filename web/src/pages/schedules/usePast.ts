import { useQueries } from "@tanstack/react-query";
import { firingsBefore, schedules } from "@/api/queries";
import type { Schedule } from "@/api/types";
import { useList } from "@/lib/useList";
import type { Past } from "./weekCells";

/** Each is a question of its own. */
const MOST = 40;

/** What has fired between two instants: of the first schedules by name, without those that fire all the time. */
export function usePast(start: Date, end: Date, frequent: string[]): Past[] {
  const isPast = start.getTime() < Date.now();
  const { rows } = useList<Schedule>(schedules());
  const names = rows
    .map(({ name }) => name)
    .filter((name) => !frequent.includes(name))
    .slice(0, isPast ? MOST : 0);
  const before = new Date(Math.min(end.getTime(), startOfMinute())).toISOString();
  return useQueries({
    queries: names.map((name) => firingsBefore(name, before)),
    combine: (answers) =>
      answers.flatMap(({ data }, index) =>
        (data?.items ?? [])
          .filter(({ at }) => Date.parse(at) >= start.getTime())
          .map((firing) => ({ ...firing, schedule: names[index] as string })),
      ),
  });
}

/** The next one: what fired just now is past, and the question stays the same for a while. */
function startOfMinute(): number {
  return (Math.floor(Date.now() / 60_000) + 1) * 60_000;
}
