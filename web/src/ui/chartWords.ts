/** A chart for those who do not see it: in words, and value by value by keys. */
import { serverNow } from "@/lib/clock";
import { clock } from "@/lib/time";

export interface Line {
  label: string;
  values: (number | null)[];
}

/** Where a key leads from a value: to another one, to none, or nowhere. */
export function stepTo(key: string, from: number | null, many: number): number | null | undefined {
  const last = many - 1;
  if (key === "Escape") return from === null ? undefined : null;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowRight") return from === null ? 0 : Math.min(last, from + 1);
  if (key === "ArrowLeft") return from === null ? last : Math.max(0, from - 1);
  return undefined;
}

/** A line of a chart in words: where it ends, how low and how high it was, and when. */
export function summaryOf(
  { label, values }: Line,
  times: string[],
  show: (value: number) => string,
): string {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ value, index }]));
  const [first] = known;
  const last = known.at(-1);
  if (!first || !last) return `${label}: nothing.`;
  const low = known.reduce((best, each) => (each.value < best.value ? each : best));
  const high = known.reduce((best, each) => (each.value > best.value ? each : best));
  const at = ({ index }: { index: number }) => clock(times[index] ?? "", serverNow());
  if (low.value === high.value) return `${label}: ${show(last.value)} all the time.`;
  return `${label}: ${show(last.value)} at the end, lowest ${show(low.value)} at ${at(low)}, highest ${show(high.value)} at ${at(high)}.`;
}
