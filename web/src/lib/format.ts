/** Numbers and ids for narrow places. */
import { parseWritten, writeJson } from "./json";

export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) < 10_000) return value.toLocaleString("en-GB");
  return new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(
    value,
  );
}

/** A number that was only counted so far: 50K+. */
export function atLeast(value: number, isCut: boolean): string {
  return `${count(value)}${isCut ? "+" : ""}`;
}

/** 0.997 is 99.7 %; never rounds a failure away to 100 %. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined) return "–";
  const value = share * 100;
  if (value > 99.9 && value < 100) return "99.9 %";
  return `${value >= 99.95 || value < 0.05 ? Math.round(value) : value.toFixed(1).replace(/\.0$/, "")} %`;
}

/** The end of a UUIDv7 tells runs apart; its start is the same for all of a minute. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(-8) : id;
}

export function plural(amount: number, one: string, many = `${one}s`): string {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

export function sentence(word: string): string {
  const text = word.replace(/[-_]/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2");
  return capitalise(text.toLowerCase());
}

/** What the server says about something, where it stands alone. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function pretty(value: unknown): string {
  return value === undefined ? "" : writeJson(value, 2);
}

/** Reads what a person typed as JSON; says where it went wrong. */
export function readJson(
  text: string,
): { value: unknown; error: null } | { value: null; error: string } {
  if (text.trim() === "") return { value: null, error: null };
  try {
    return { value: parseWritten(text), error: null };
  } catch (error) {
    return { value: null, error: error instanceof Error ? error.message : "This is not JSON." };
  }
}

/** A graph that failed has no error of its own, only what it says about its node. */
export function errorText(type: string, message: string): string {
  return type ? `${type}: ${message}` : message;
}
