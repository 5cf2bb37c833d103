import { useSyncExternalStore } from "react";
import { serverNow } from "@/lib/clock";
import { clock, duration, planned as inPlan, relative, span, utc } from "@/lib/time";

const listeners = new Set<() => void>();
let now = serverNow();
let timer: ReturnType<typeof setInterval> | null = null;

/** One tick a second for the whole page, only while something shows time. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === null) {
    // Nobody has looked for a while.
    now = serverNow();
    timer = setInterval(() => {
      now = serverNow();
      for (const each of listeners) each();
    }, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer) {
      clearInterval(timer);
      timer = null;
    }
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

interface Props {
  at: string | null | undefined;
  /** "3 min ago" instead of the clock. */
  ago?: boolean;
  /** With its weekday, for what is to come. */
  planned?: boolean;
  /** It should have happened when its time came: later it is told that it is overdue. */
  due?: boolean;
  none?: string;
}

/** As long as a scheduler may take before something is wrong. */
const LATE_MS = 60_000;

/** In the viewer's zone; the hover has the other form, and UTC. */
export function Time({ at, ago, planned, due, none = "–" }: Props) {
  const current = useNow();
  if (!at) return <span className="text-ink-3">{none}</span>;
  const local = planned ? inPlan(at) : clock(at, current);
  const distance = relative(at, current);
  return (
    <time
      dateTime={at}
      title={`${utc(at)}\n${ago ? local : distance}`}
      className="num whitespace-nowrap"
    >
      {ago ? distance : local}
      {due && current - Date.parse(at) > LATE_MS && <span className="text-bad">, overdue</span>}
    </time>
  );
}

interface DurationProps {
  from?: string | null | undefined;
  until?: string | null | undefined;
  ms?: number | null | undefined;
}

/** Goes on counting while there is no end. */
export function Duration({ from, until, ms }: DurationProps) {
  const isOpen = (ms === null || ms === undefined) && from && !until;
  if (isOpen) return <Counting from={from} />;
  return <span className="num whitespace-nowrap">{duration(ms ?? span(from, until))}</span>;
}

function Counting({ from }: { from: string }) {
  const current = useNow();
  return <span className="num whitespace-nowrap">{duration(span(from, null, current))}</span>;
}
