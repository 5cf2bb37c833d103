/** A change of a definition as people say it; what has no word keeps its name. */
import { pretty } from "@/lib/format";
import { duration } from "@/lib/time";
import { quoteWords } from "@/lib/words";

const FIELDS: Record<string, string> = {
  "target.argv": "Command",
  "target.cwd": "Folder",
  "target.url": "Address",
  "target.method": "Method",
  "target.body": "Body",
  "target.expect": "Statuses that are a success",
  "retry.limit": "Retries",
  timeout_ms: "Timeout",
  expires_ms: "Expires",
};

const PARTS = [
  ["target.env.", "Variable "],
  ["target.headers.", "Header "],
] as const;

export function labelOf(field: string): string {
  const part = PARTS.find(([start]) => field.startsWith(start));
  if (part) return part[1] + field.slice(part[0].length);
  return FIELDS[field] ?? field.replace(/^target\./, "").replace(/_ms$/, "");
}

export function shownOf(field: string, value: unknown): string {
  if (value === null || value === undefined) return "not set";
  if (field.endsWith("_ms") && typeof value === "number") return duration(value);
  if (field === "target.argv" && Array.isArray(value)) return quoteWords(value.map(String));
  return typeof value === "string" ? value : pretty(value);
}
