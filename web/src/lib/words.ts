/** Small formats that people type: words of a command, lines of names and values. */

/** Words as one line that a shell, or our server, splits into the same words again. */
export function quoteWords(words: string[]): string {
  return words
    .map((word) => (isPlain(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

const isPlain = (word: string) => /^[\w@%+=:,./-]+$/.test(word);

export function toLines(values: Record<string, string>, between: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${between}${value}`)
    .join("\n");
}

/** The first sign between parts them; what has none is a name without a value. */
export function fromLines(text: string, between: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(between);
      if (at < 0) return [line.trim(), ""];
      return [line.slice(0, at).trim(), line.slice(at + between.length).trim()];
    }),
  );
}
