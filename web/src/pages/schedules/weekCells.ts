/** The cells of a week: what fires in each hour of each day, and how what is past has ended. */
import type { PastFiring, Upcoming } from "@/api/types";
import { day } from "@/lib/time";

export interface Past extends PastFiring {
  schedule: string;
}

export interface WeekEntry {
  schedule: string;
  /** The instants in this hour. */
  times: string[];
  isPast: boolean;
  /** Of what is past: how its run stands, the worst if there are some. */
  state: string | undefined;
  runId: string | undefined;
  /** Of what is past and has no run: what was decided. */
  firing: PastFiring | undefined;
  /** Why some are not where the plain rule puts them. */
  marks: { mark: string; words: string }[];
}

const LOUDEST = ["failed", "running", "queued", "scheduled", "cancelled", "skipped", "success"];
const MOST_NAMED = 3;

export function cellKey(date: Date, hour: number): string {
  return `${day(date)} ${hour}`;
}

/** By day and hour of the viewer, then by schedule, in the order of the first firing. */
export function cellsOf(coming: Upcoming["items"], past: Past[]): Map<string, WeekEntry[]> {
  const cells = new Map<string, WeekEntry[]>();
  const entryOf = (at: string, schedule: string, isPast: boolean): WeekEntry => {
    const date = new Date(at);
    const key = cellKey(date, date.getHours());
    const entries = cells.get(key) ?? [];
    cells.set(key, entries);
    const known = entries.find((each) => each.schedule === schedule && each.isPast === isPast);
    if (known) return known;
    const none = { state: undefined, runId: undefined, firing: undefined };
    const entry: WeekEntry = { schedule, times: [], isPast, marks: [], ...none };
    entries.push(entry);
    return entry;
  };
  const byTime = <T extends { at: string }>(items: T[]) =>
    [...items].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  for (const each of byTime(past)) {
    const entry = entryOf(each.at, each.schedule, true);
    entry.times.push(each.at);
    entry.firing ??= each;
    if (each.state && rankOf(each.state) < rankOf(entry.state)) {
      entry.state = each.state;
      entry.runId = each.executionId ?? undefined;
    }
  }
  for (const each of byTime(coming)) {
    const entry = entryOf(each.at, each.schedule, false);
    entry.times.push(each.at);
    const words = each.marks.join("; ");
    if (each.mark && !entry.marks.some((known) => known.words === words))
      entry.marks.push({ mark: each.mark, words });
  }
  return cells;
}

function rankOf(state: string | undefined): number {
  const rank = LOUDEST.indexOf(state ?? "");
  return rank < 0 ? LOUDEST.length : rank;
}

/** The minutes of an hour, or how many there are. */
export function timesIn({ times }: WeekEntry): string {
  if (times.length > MOST_NAMED) return `${times.length}×`;
  return times.map((at) => `:${String(new Date(at).getMinutes()).padStart(2, "0")}`).join(" ");
}
