/** What is special about a day of the week to come, in words: days off, and clocks that are changed. */
import type { Upcoming } from "@/api/types";
import { day, hourMinute } from "@/lib/time";

export interface Note {
  kind: "off" | "clock";
  text: string;
  /** Where it holds. */
  more: string;
}

/** By the viewer's day for clocks; a day off is a date wherever one is. */
export function notesOf(
  { daysOff, shifts }: Pick<Upcoming, "daysOff" | "shifts">,
  date: Date,
): Note[] {
  const name = day(date);
  const off = grouped(
    daysOff.filter((each) => each.day === name),
    ({ why }) => why,
  ).map(([why, all]): Note => {
    const calendars = all.map(({ calendar }) => calendar || "a schedule's own calendar");
    return {
      kind: "off",
      text: why === "day off" ? "Day off" : why,
      more: `By ${calendars.join(", ")}`,
    };
  });
  const clocks = grouped(
    shifts.filter(({ at }) => day(new Date(at)) === name),
    ({ at, seconds }) => `${at} ${seconds}`,
  ).map(([, all]): Note => {
    const { at, seconds } = all[0] as (typeof all)[number];
    const way = seconds > 0 ? "forward" : "back";
    return {
      kind: "clock",
      text: `Clocks go ${way} ${lengthOf(Math.abs(seconds))}`,
      more: `At ${hourMinute(at)}, ${hourMinute(at, "UTC")} UTC, in ${all.map(({ zone }) => zone).join(", ")}`,
    };
  });
  return [...off, ...clocks];
}

function lengthOf(seconds: number): string {
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${Math.round(seconds / 60)} min`;
}

function grouped<Item>(items: Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  }
  return [...groups];
}
