/** Small formats that people type: words of a command, lines of names and values. */

/** "a, b" as names. */
export function namesOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
}

/** Words as one line that a shell, or our server, splits into the same words again. */
export function quoteWords(words: string[]): string {
  return words
    .map((word) => (isPlain(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

const isPlain = (word: string) => /^[\w@%+=:,./-]+$/.test(word);

/** A value that would not come back as it is stands in quotes, its breaks written out. */
export function toLines(values: Record<string, string>, between: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${between}${isLine(value) ? value : JSON.stringify(value)}`)
    .join("\n");
}

const isLine = (value: string) =>
  value === value.trim() && !/[\n\r]/.test(value) && unquoted(value) === value;

function unquoted(value: string): string {
  if (!/^".*"$/.test(value)) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

/** The first sign between parts them; what has none is a name without a value. */
export function fromLines(text: string, between: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(between);
      if (at < 0) return [line.trim(), ""];
      return [line.slice(0, at).trim(), unquoted(line.slice(at + between.length).trim())];
    }),
  );
}
