/** Filters live in the address as plain words, so that every view can be sent to a colleague. */

export type Search = Record<string, string | undefined>;

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text.replace(/^\?/, "")));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== "") parts.set(name, String(value));
  }
  const text = parts.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text ? `?${text}` : "";
}

/** Written letter by letter: going back through it would be going back through typing. */
const TYPED = ["q", "jobId", "queue", "text", "error", "who", "verb", "find", "level"];
/** Opened over a page: whoever closes it does not want it back. */
const PANELS = ["new", "edit", "id", "run", "node", "act", "why"];

/** Whether the button "back" leads to how it was before this change. */
export function isStep(patch: Search): boolean {
  const names = Object.keys(patch);
  const isTyped = names.every((name) => TYPED.includes(name));
  const isClosing = names.every((name) => PANELS.includes(name) && patch[name] === undefined);
  return !isTyped && !isClosing;
}

/** Only the names that a page knows, only as text. */
export function pick<Name extends string>(names: readonly Name[]) {
  return (search: Record<string, unknown>): Partial<Record<Name, string>> => {
    const known: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const value = search[name];
      if (value !== undefined && value !== null && value !== "") known[name] = String(value);
    }
    return known;
  };
}
