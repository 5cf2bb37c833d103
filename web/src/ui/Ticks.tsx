/** An axis of time above bars, and its lines behind them. */
import { tickLabel, ticksOf } from "@/lib/axis";
import { utc } from "@/lib/time";

interface Props {
  /** The first instant. */
  start: number;
  whole: number;
  /** How many times wider than its frame it is: there is room for more. */
  times?: number;
}

export function Ticks({ start, whole, times = 1 }: Props) {
  return (
    <span className="relative block h-4 text-2xs text-ink-2">
      {ticksOf(whole, times).map((tick, index) => (
        <span
          key={tick}
          title={utc(start + tick)}
          className={`num absolute whitespace-nowrap ${index % 2 ? "max-sm:hidden" : ""} ${tick / whole > 0.94 ? "-translate-x-full" : "-translate-x-1/2 first:translate-x-0"}`}
          style={{ left: `${(tick / whole) * 100}%` }}
        >
          {tickLabel(tick, start, whole)}
        </span>
      ))}
    </span>
  );
}

export function TickLines({ whole, times = 1 }: Omit<Props, "start">) {
  return (
    <>
      {ticksOf(whole, times).map((tick) => (
        <span
          key={tick}
          aria-hidden
          className="absolute inset-y-0 border-l border-line"
          style={{ left: `${(tick / whole) * 100}%` }}
        />
      ))}
    </>
  );
}
