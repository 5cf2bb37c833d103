/** A name in a narrow place: cut in its middle, as names that begin alike differ at their ends. */

const END = 12;
/** Shorter ones seldom have to be cut. */
const LONG = 28;

/** Its direction is its own: a name in Arabic begins at the right, and turns nothing around it. */
export function Name({ text, className = "" }: { text: string; className?: string }) {
  const [start, end] = halves(text);
  return (
    <span dir="auto" className={`flex min-w-0 ${className}`} title={text}>
      <span className="truncate">{start}</span>
      {end && <span className="shrink-0 whitespace-pre">{end}</span>}
    </span>
  );
}

const LETTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

export function halves(text: string): [string, string] {
  if (text.length < LONG) return [text, ""];
  const letters = Array.from(LETTERS.segment(text), ({ segment }) => segment);
  if (letters.length < LONG) return [text, ""];
  return [letters.slice(0, -END).join(""), letters.slice(-END).join("")];
}
