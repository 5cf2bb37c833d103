import { count } from "@/lib/format";
import { lookOf } from "@/ui/State";

/** How loud a state is: what is done first, what waits last. */
const ORDER = [
  "success",
  "failed",
  "cancelled",
  "running",
  "queued",
  "ready",
  "scheduled",
  "suspended",
  "held",
  "upstream_failed",
  "skipped",
  "pending",
];

export function inOrder(byState: Record<string, number>): [string, number][] {
  const rank = (state: string) => (ORDER.indexOf(state) + ORDER.length + 1) % (ORDER.length + 1);
  return Object.entries(byState)
    .filter(([, many]) => many > 0)
    .sort(([a], [b]) => rank(a) - rank(b));
}

/** "3 success, 1 failed, 2 skipped" */
export function inWords(byState: Record<string, number>): string {
  return inOrder(byState)
    .map(([state, many]) => `${count(many)} ${lookOf(state).word.toLowerCase()}`)
    .join(", ");
}

/** How the nodes of a run stand: a stretch for each state, in its colour. */
export function StateBar({ byState }: { byState: Record<string, number> }) {
  const total = Object.values(byState).reduce((sum, many) => sum + many, 0);
  return (
    <div
      role="img"
      aria-label={`Nodes: ${inWords(byState)}`}
      className="flex h-2 w-full gap-px overflow-hidden rounded-full bg-sunken"
    >
      {inOrder(byState).map(([state, many]) => (
        <span
          key={state}
          title={`${count(many)} ${lookOf(state).word.toLowerCase()}`}
          className={lookOf(state).fill}
          style={{ width: `${(100 * many) / Math.max(1, total)}%` }}
        />
      ))}
    </div>
  );
}
