/** Arguments of a run as one line, which tells runs of the same job apart. */
import { writeJson } from "./json";

const LONGEST = 60;

export function hasArgs(args: unknown): boolean {
  return typeof args === "object" && args !== null && Object.keys(args).length > 0;
}

export function argsText(args: unknown): string {
  if (!hasArgs(args)) return "";
  return Object.entries(args as object)
    .map(([name, value]) => `${name}=${cut(valueText(value))}`)
    .join(", ");
}

/** A text as it is, where nobody could take it for something else. */
function valueText(value: unknown): string {
  const isPlain = typeof value === "string" && /^[^\s",=[\]{}][^\n",=]*$/.test(value);
  return isPlain && Number.isNaN(Number(value)) ? value : writeJson(value);
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
