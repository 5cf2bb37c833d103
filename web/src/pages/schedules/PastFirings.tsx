import { Link } from "@tanstack/react-router";
import { pastFirings } from "@/api/queries";
import type { PastFiring, Schedule } from "@/api/types";
import { plural } from "@/lib/format";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { ErrorPanel } from "@/ui/Panels";
import { StateBadge } from "@/ui/State";
import { Time } from "@/ui/Time";
import { DECISIONS, inWords, KINDS } from "./words";

/** What became of the instants of a schedule: their run, or why they have none. */
export function PastFirings({ schedule }: { schedule: Schedule }) {
  const list = useList<PastFiring>(pastFirings(schedule.name));
  if (list.error) return <ErrorPanel error={list.error} retry={() => void list.refetch()} />;
  return (
    <section className="lg:col-span-2" aria-label="Past firings">
      <p className="mb-2 font-medium">Past firings</p>
      {list.rows.length === 0 && (
        <p className="text-ink-2">{list.loading ? "Looking…" : "It has not fired yet."}</p>
      )}
      {list.rows.length > 0 && (
        <ol className="scroll-thin max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line">
          {list.rows.map((firing) => (
            <Row key={keyOf(firing)} firing={firing} />
          ))}
          {list.more && (
            <li className="flex justify-center p-1">
              <Button tone="quiet" onClick={list.onEnd}>
                Show earlier ones
              </Button>
            </li>
          )}
        </ol>
      )}
      {schedule.missed > 0 && (
        <p className="mt-2 text-xs text-ink-2">
          {`${plural(schedule.missed, "more firing")} missed; those are only counted.`}
        </p>
      )}
    </section>
  );
}

function Row({ firing }: { firing: PastFiring }) {
  const { at, kind, executionId, state } = firing;
  return (
    <li className="flex min-h-8 flex-wrap items-center gap-x-3 px-3 py-1">
      <Time at={at} planned />
      <span className="flex-1 text-xs text-ink-2">{inWords(KINDS, kind)}</span>
      {executionId && state ? (
        <Link to="/runs/$id" params={{ id: executionId }} title="Open the run">
          <StateBadge state={state} small />
        </Link>
      ) : (
        <span className="text-xs text-ink-2">{whyNone(firing)}</span>
      )}
      <span className="w-24 text-right text-xs text-ink-2">
        <Time at={at} ago />
      </span>
    </li>
  );
}

/** A run that there was and that retention has removed left no state. */
export function whyNone({ decision, executionId }: PastFiring): string {
  return executionId ? "The run is no longer kept" : inWords(DECISIONS, decision);
}

/** Several may have one instant, and those that were left out have no run. */
function keyOf({ at, kind, decidedAt, executionId }: PastFiring): string {
  return `${at} ${kind} ${decidedAt} ${executionId}`;
}
