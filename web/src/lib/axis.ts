/** Marks of an axis of time: round, few, and named so that the eye need not count. */
import { duration, HOUR, hourMinute, MINUTE, SECOND } from "./time";

const MOST_TICKS = 6;
const ROUND = [1, 2, 5, 10, 20, 30].flatMap((each) => [each * SECOND, each * MINUTE]);
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...ROUND,
  ...[1, 2, 3, 6, 12, 24, 48].map((hours) => hours * HOUR),
].sort((a, b) => a - b);

/** Between two marks of the axis: round, and not too many of them. */
export function stepOf(wholeMs: number, times = 1): number {
  const most = MOST_TICKS * times;
  return STEPS.find((step) => wholeMs / step <= most) ?? wholeMs / most;
}

export function ticksOf(wholeMs: number, times = 1): number[] {
  const step = stepOf(wholeMs, times);
  return Array.from({ length: Math.floor(wholeMs / step) + 1 }, (_, index) => index * step);
}

const LONG_MS = 10 * MINUTE;

/** Since the start; of what took long, the clock. */
export function tickLabel(tick: number, start: number, whole: number): string {
  if (whole >= LONG_MS) return hourMinute(start + tick);
  if (tick === 0) return "0";
  return `+${tick < MINUTE && tick % SECOND === 0 ? `${tick / SECOND} s` : duration(tick)}`;
}
