/** Times as people read them: in their zone, short, with UTC a hover away. */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** 850 ms, 4.2 s, 3m 07s, 2h 05m, 4d 6h: two units at most, so that columns stay narrow. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "–";
  const whole = Math.max(0, ms);
  if (whole < 999.5) return `${Math.round(whole)} ms`;
  if (whole < 9_950) return `${(whole / SECOND).toFixed(1)} s`;
  if (whole < 59_500) return `${Math.round(whole / SECOND)} s`;
  const seconds = Math.round(whole / SECOND);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.round(whole / MINUTE);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
  const hours = Math.round(whole / HOUR);
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** "12 s ago", "in 4 min", "just now". */
export function relative(at: string | number | Date, now: number): string {
  const distance = new Date(at).getTime() - now;
  const size = Math.abs(distance);
  if (size < 3 * SECOND) return "just now";
  const [count, unit] = coarse(size);
  return distance < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
}

const COARSE = [
  ["s", SECOND, 60],
  ["min", MINUTE, 60],
  ["h", HOUR, 24],
] as const;

/** In the first unit that needs no more of it than the next one holds: never 60 s, but 1 min. */
function coarse(ms: number): [number, string] {
  for (const [unit, size, most] of COARSE) {
    const many = Math.round(ms / size);
    if (many < most) return [many, unit];
  }
  return [Math.round(ms / DAY), "d"];
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Date only when it is not today, year only when it is not this one; seconds then matter no more. */
export function clock(at: string | number | Date, now: number, zone?: string): string {
  const date = new Date(at);
  const time = timeOfDay(date, zone);
  if (day(date, zone) === day(new Date(now), zone)) return time;
  const isThisYear = day(date, zone).slice(0, 4) === day(new Date(now), zone).slice(0, 4);
  const parts: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
  if (isThisYear) return `${format(date, parts, zone)}, ${time}`;
  return `${format(date, { ...parts, year: "numeric" }, zone)}, ${hourMinute(date, zone)}`;
}

/** "Tue 17 Nov, 02:30": for what is planned the weekday matters, seconds only if there are some. */
export function planned(at: string | number | Date, zone?: string): string {
  const date = new Date(at);
  const seconds = date.getSeconds() === 0 ? {} : ({ second: "2-digit" } as const);
  const time = format(date, { hour: "2-digit", minute: "2-digit", ...seconds }, zone);
  return `${weekday(date, zone)}, ${time}`;
}

export function timeOfDay(at: string | number | Date, zone?: string): string {
  return format(new Date(at), { hour: "2-digit", minute: "2-digit", second: "2-digit" }, zone);
}

export function hourMinute(at: string | number | Date, zone?: string): string {
  return format(new Date(at), { hour: "2-digit", minute: "2-digit" }, zone);
}

export function dayMonth(at: string | number | Date, zone?: string): string {
  return format(new Date(at), { day: "numeric", month: "short" }, zone);
}

const DATE = { day: "2-digit", month: "2-digit", year: "numeric" } as const;

/** 2026-11-15, in the zone; sorts and compares as text. */
export function day(at: Date, zone?: string): string {
  const [date, month, year] = format(at, DATE, zone).split("/");
  return `${year}-${month}-${date}`;
}

export function weekday(at: Date, zone?: string): string {
  return format(at, { weekday: "short", day: "numeric", month: "short" }, zone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** To make a format costs a hundred times what using it does, and a page has hundreds of times. */
function format(at: Date, parts: Intl.DateTimeFormatOptions, zone?: string): string {
  const where = zone ?? at.getTimezoneOffset();
  const key = `${where} ${Object.entries(parts)}`;
  let known = formats.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: zone, hour12: false });
    formats.set(key, known);
  }
  return known.format(at);
}

/** What a hover shows: the instant in UTC, to the millisecond. */
export function utc(at: string | number | Date): string {
  return `${new Date(at).toISOString().replace("T", " ").replace("Z", "")} UTC`;
}

/** Between two instants; with no end, until now. */
export function span(from?: string | null, until?: string | null, now?: number): number | null {
  if (!from) return null;
  const end = until ? new Date(until).getTime() : now;
  return end === undefined ? null : Math.max(0, end - new Date(from).getTime());
}

/** The viewer's. */
export function hereZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** "30m", "24h", "7d" before now, as the API wants it; anything else is left as it is. */
export function sinceOf(text: string | undefined, now: number): string | undefined {
  const found = /^(\d+)([mhd])$/.exec(text ?? "");
  if (!found) return text || undefined;
  const unit = { m: MINUTE, h: HOUR, d: DAY }[found[2] as "m" | "h" | "d"];
  return new Date(now - Number(found[1]) * unit).toISOString();
}

/** What such a field says, as the API wants it; a year that is being typed may be none yet. */
export function fromField(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** An instant as a field for date and time takes it: the viewer's clock, to the minute. */
export function asField(at: string | undefined): string {
  const date = new Date(at ?? "");
  if (Number.isNaN(date.getTime())) return "";
  // A year that is being typed is 2, then 20, then 202; the field takes none of fewer than four figures.
  return `${day(date).padStart("2026-11-15".length, "0")}T${hourMinute(date)}`;
}
