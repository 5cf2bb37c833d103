import type { LogLine } from "@/api/types";
import { stripAnsi } from "./ansi";
import { count, plural } from "./format";

/** Lines that a page keeps; the download has them all. */
export const MOST = 50_000;

/** The worst last. */
export const LEVELS = ["debug", "info", "warning", "error", "critical"] as const;

/** In order, each line once: live lines may overlap with those that were read. */
export function joined(old: LogLine[], more: LogLine[]): LogLine[] {
  const last = old.at(-1);
  const isLater = more.every((line, index) => {
    const before = index ? more[index - 1] : last;
    return !before || compare(before, line) < 0;
  });
  if (isLater) return more.length ? [...old, ...more].slice(-MOST) : old;
  const byPlace = new Map([...old, ...more].map((line) => [placeOf(line), line]));
  return [...byPlace.values()].sort(compare).slice(-MOST);
}

export function compare(a: LogLine, b: LogLine): number {
  return (a.claim ?? a.attempt) - (b.claim ?? b.attempt) || a.seq - b.seq;
}

export function placeOf(line: LogLine): string {
  return `${line.claim ?? line.attempt}.${line.seq}`;
}

/** What was not read yet may well have been printed. */
export function nothingShown(all: number, reading: boolean | undefined): string {
  if (all > 0) return "No line fits the search.";
  return reading ? "Reading the log …" : "Nothing printed yet; lines appear here as they come.";
}

export function countInWords(shown: number, all: number): string {
  if (all === 0) return "No lines yet";
  return shown === all ? plural(all, "line") : `${count(shown)} of ${plural(all, "line")}`;
}

export function filterLines(lines: LogLine[], text: string, level: string): LogLine[] {
  if (!text && !level) return lines;
  const lowest = LEVELS.indexOf(level as (typeof LEVELS)[number]);
  const needle = text.toLowerCase();
  return lines.filter((line) => {
    const rank = LEVELS.indexOf((line.level?.toLowerCase() ?? "") as (typeof LEVELS)[number]);
    if (lowest > 0 && rank < lowest) return false;
    return !needle || stripAnsi(line.text).toLowerCase().includes(needle);
  });
}
