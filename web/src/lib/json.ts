/**
 * JSON without loss: a whole number that a double cannot hold is a bigint, on its way in and out.
 *
 * The browser's own parser rounds such numbers, so they pass it as texts that begin with a mark
 * which nobody can guess.
 */

const MARK = `whole-${crypto.getRandomValues(new Uint32Array(4)).join("-")}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");
/** Texts are found to be passed over. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** What has fewer digits is safe, and most documents have no more. */
const LONG = /\d{16}/;

export function parseJson(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) =>
    typeof numberOf(token) === "bigint" ? `"${MARK}${token}"` : token,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

export function writeJson(value: unknown, indent?: number): string {
  let hasMarks = false;
  const mark = (_: string, each: unknown) => {
    if (typeof each !== "bigint") return each;
    hasMarks = true;
    return MARK + each;
  };
  const text = JSON.stringify(value, mark, indent);
  return hasMarks ? text.replace(MARKED, "$1") : text;
}

const WHOLE = /^-?\d+$/;

/** The number that a text says, exactly; none if it says no number. */
export function numberOf(text: string): number | bigint | undefined {
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) return undefined;
  return WHOLE.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}
