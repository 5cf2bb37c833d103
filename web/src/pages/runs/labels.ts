/** Conditions on labels: one a line in the address, because no value has a line break in it. */
import type { SavedView } from "@/api/types";
import type { Search } from "@/lib/search";
import { hidesSteps } from "./steps";

export function linesOf(text: string | undefined): string[] {
  return text ? text.split("\n") : [];
}

export function withLabel(text: string | undefined, label: string): string {
  return [...new Set([...linesOf(text), label])].join("\n");
}

export function withoutLabel(text: string | undefined, label: string): string | undefined {
  return (
    linesOf(text)
      .filter((each) => each !== label)
      .join("\n") || undefined
  );
}

/** Labels as conditions that find them: `team=billing`. */
export function labelTexts(labels: Record<string, unknown> | undefined): string[] {
  return Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
}

/** The name whose values somebody is typing, and how the value begins; no name before there is one. */
export function typedLabel(text: string): { name?: string; prefix: string } {
  const at = text.indexOf("=");
  if (at < 1) return { prefix: "" };
  return { name: text.slice(0, at).trim(), prefix: text.slice(at + 1).trim() };
}

type Filter = SavedView["filter"];

const PLAIN = [
  ...(["status", "jobId", "queue", "schedule", "error", "text", "since", "until"] as const),
  ...(["scheduledSince", "scheduledUntil"] as const),
] as const;

/** The filters of the address as a view keeps them. */
export function filterOf(search: Search): Filter {
  const kept = PLAIN.filter((name) => search[name]).map((name) => [name, search[name]]);
  return {
    ...Object.fromEntries(kept),
    ...(search.label && { label: linesOf(search.label) }),
    ...(search.arg && { arg: linesOf(search.arg) }),
    ...(hidesSteps(search) && { steps: false }),
  };
}

/** The filters of a view as the address has them; those that it does not have are taken away. */
export function searchOf(filter: Filter): Search {
  const plain = PLAIN.map((name) => [name, filter[name] ?? undefined]);
  const search: Search = {
    ...Object.fromEntries(plain),
    label: filter.label?.join("\n") || undefined,
    arg: filter.arg?.join("\n") || undefined,
    parentId: undefined,
  };
  return { ...search, steps: filter.steps === false ? undefined : "yes" };
}

/** Whether the address shows this view and nothing else. */
export function isShown(view: SavedView, search: Search): boolean {
  return sorted(filterOf(search)) === sorted(filterOf(searchOf(view.filter)));
}

function sorted(filter: Filter): string {
  return JSON.stringify(Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1)));
}
