/** A name in a narrow place: cut in its middle, as names that begin alike differ at their ends. */

const END = 12;
/** Shorter ones seldom have to be cut. */
const LONG = 28;

export function Name({ text, className = "" }: { text: string; className?: string }) {
  const [start, end] = halves(text);
  return (
    <span className={`flex min-w-0 ${className}`} title={text}>
      <span className="truncate">{start}</span>
      {end && <span className="shrink-0 whitespace-pre">{end}</span>}
    </span>
  );
}

export function halves(text: string): [string, string] {
  const letters = [...text];
  if (letters.length < LONG) return [text, ""];
  return [letters.slice(0, -END).join(""), letters.slice(-END).join("")];
}
