/**
 * JSON without loss: on its way in and out a number is what was written.
 *
 * The browser's own parser rounds whole numbers that a double cannot hold; they become bigints. It
 * also makes 1 of 1.0, which is another value for a handler in Python. In what people write, and in
 * the fields of answers that hold values of theirs, such numbers keep their text. In all others they
 * are plain numbers, to count and to draw with.
 *
 * All of them pass the browser's parser as texts that begin with a mark which nobody can guess.
 */

/** A number whose text a double would not give back. */
export class Written extends Number {
  constructor(readonly text: string) {
    super(text);
  }

  override toString(): string {
    return this.text;
  }
}

const MARK = `number-${crypto.getRandomValues(new Uint32Array(4)).join("-")}:`;
const MARKED = new RegExp(`"${MARK}([-+.\\deE]+)"`, "g");
/** Texts are found to be passed over. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Most answers have none of these: many digits, a fraction of zeros, an exponent. */
const SPECIAL = /\d{16}|(?:^|[[:,])\s*-?\d+(?:\.0+\s*(?:$|[\],}])|(?:\.\d+)?[eE])/;
/** Fields of answers that hold values of people's own. */
const OWN = new Set(["args", "arguments", "default", "defaults", "enum", "new", "old", "result"]);

/** An answer of the server. */
export function parseJson(text: string): unknown {
  return SPECIAL.test(text) ? parseMarked(text, false) : JSON.parse(text);
}

/** What a person wrote. */
export function parseWritten(text: string): unknown {
  return parseMarked(text, true);
}

function parseMarked(text: string, isOwn: boolean): unknown {
  // With marks in it, a text that is no JSON could become some, and errors would be elsewhere.
  const plain: unknown = JSON.parse(text);
  let hasMarks = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || typeof numberOf(token) === "number") return token;
    hasMarks = true;
    return `"${MARK}${token}"`;
  });
  return hasMarks ? unmarked(JSON.parse(marked), isOwn) : plain;
}

function unmarked(value: unknown, isOwn: boolean): unknown {
  if (typeof value === "string" && value.startsWith(MARK)) {
    const number = numberOf(value.slice(MARK.length));
    return number instanceof Written && !isOwn ? number.valueOf() : number;
  }
  if (!value || typeof value !== "object") return value;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    fields[name] = unmarked(fields[name], isOwn || OWN.has(name));
  }
  return value;
}

export function writeJson(value: unknown, indent?: number): string {
  let hasMarks = false;
  const mark = (_: string, each: unknown) => {
    if (typeof each !== "bigint" && !(each instanceof Written)) return each;
    hasMarks = true;
    return `${MARK}${each}`;
  };
  const text = JSON.stringify(value, mark, indent);
  return hasMarks ? text.replace(MARKED, "$1") : text;
}

const WHOLE = /^-?\d+$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export type AnyNumber = number | bigint | Written;

/** The number that a text says, exactly; none if it says no number. */
export function numberOf(text: string): AnyNumber | undefined {
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) return undefined;
  if (WHOLE.test(text) && !Number.isSafeInteger(value)) return BigInt(text);
  return NUMBER.test(text) && String(value) !== text ? new Written(text) : value;
}

/** The same for a place that takes whole numbers only: 2.0 and 1e3 are some, for who writes them. */
export function wholeOf(text: string): AnyNumber | undefined {
  const number = numberOf(text);
  return number instanceof Written ? number.valueOf() : number;
}

export function isNumber(value: unknown): value is AnyNumber {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Written;
}
