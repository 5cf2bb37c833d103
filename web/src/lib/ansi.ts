/**
 * Colours of terminals as data: spans of text with class names.
 *
 * Text stays text: what is not a colour or a weight is dropped (cursor movements, titles, links),
 * and nothing here makes markup, so a hostile log can do no more than be ugly.
 */

export interface Span {
  text: string;
  classes: string;
}

interface Style {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  colour: number | null;
  ground: number | null;
}

const PLAIN: Style = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  colour: null,
  ground: null,
};

// CSI sequences, then OSC ones (titles, links) up to their end, then any other escape of two bytes.
const ESCAPE = /\x1b\[([0-9;:?]*)([ -/]*[@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-_]?/g;
// Control characters that could confuse, and those that turn the direction of text around.
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g;

export function parseAnsi(line: string): Span[] {
  if (!line.includes("\x1b")) return [{ text: clean(line), classes: "" }];
  const spans: Span[] = [];
  let style = PLAIN;
  let from = 0;
  for (const match of line.matchAll(ESCAPE)) {
    append(spans, line.slice(from, match.index), style);
    from = match.index + match[0].length;
    if (match[2] === "m") style = apply(style, match[1] ?? "");
  }
  append(spans, line.slice(from), style);
  return spans.length ? spans : [{ text: "", classes: "" }];
}

export function stripAnsi(line: string): string {
  return line.includes("\x1b") ? clean(line.replace(ESCAPE, "")) : clean(line);
}

function clean(text: string): string {
  return text.replace(CONTROL, (sign) => (sign === "\r" ? "" : "\ufffd"));
}

function append(spans: Span[], text: string, style: Style): void {
  const cleaned = clean(text);
  if (cleaned) spans.push({ text: cleaned, classes: classesOf(style) });
}

function apply(style: Style, codes: string): Style {
  const next = { ...style };
  const numbers = codes.split(/[;:]/).map((each) => Number(each) || 0);
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    if (code === 38 || code === 48) index += takeExtended(next, code, numbers.slice(index + 1));
    else applyOne(next, code);
  }
  return next;
}

function applyOne(style: Style, code: number): void {
  if (code === 0) Object.assign(style, PLAIN);
  else if (code === 1) style.bold = true;
  else if (code === 2) style.dim = true;
  else if (code === 3) style.italic = true;
  else if (code === 4) style.underline = true;
  else if (code === 22) style.bold = style.dim = false;
  else if (code === 23) style.italic = false;
  else if (code === 24) style.underline = false;
  else if (code === 39) style.colour = null;
  else if (code === 49) style.ground = null;
  else if (code >= 30 && code <= 37) style.colour = code - 30;
  else if (code >= 90 && code <= 97) style.colour = code - 90;
  else if (code >= 40 && code <= 47) style.ground = code - 40;
  else if (code >= 100 && code <= 107) style.ground = code - 100;
}

/** 256 colours and 24 bits come down to the nearest of eight; answers how many codes it used. */
function takeExtended(style: Style, code: number, rest: number[]): number {
  const [kind = 0, a = 0, b = 0, c = 0] = rest;
  const colour = kind === 5 ? nearestOf256(a) : nearestOfRgb(a, b, c);
  if (code === 38) style.colour = colour;
  else style.ground = colour;
  return kind === 5 ? 2 : 4;
}

function nearestOf256(index: number): number {
  if (index < 16) return index % 8;
  if (index >= 232) return index < 244 ? 0 : 7;
  const cube = index - 16;
  const level = (part: number) => (part ? 55 + part * 40 : 0);
  return nearestOfRgb(
    level(Math.floor(cube / 36)),
    level(Math.floor(cube / 6) % 6),
    level(cube % 6),
  );
}

function nearestOfRgb(red: number, green: number, blue: number): number {
  const half = Math.max(red, green, blue) / 2;
  if (half < 32) return 0;
  return Number(red > half) + 2 * Number(green > half) + 4 * Number(blue > half);
}

function classesOf(style: Style): string {
  const classes = [];
  if (style.colour !== null) classes.push(`ansi-${style.colour}`);
  if (style.ground !== null) classes.push(`ansi-b${style.ground}`);
  for (const name of ["bold", "dim", "italic", "underline"] as const) {
    if (style[name]) classes.push(`ansi-${name}`);
  }
  return classes.join(" ");
}
