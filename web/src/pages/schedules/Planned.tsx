import { CircleCheck, CircleMinus } from "lucide-react";
import type { Answer } from "@/api/client";
import { plural } from "@/lib/format";
import { lookOf } from "@/ui/State";
import { Time } from "@/ui/Time";

export type Plan = Pick<Answer<"backfillSchedule">, "planned" | "instants">;
type Instant = Plan["planned"][number];

/** How many runs a plan makes at most, and what stands on the button that makes them. */
export function startsOf({ planned, instants }: Plan): { most: number; submit: string } {
  const started = planned.filter((each) => each.starts).length;
  const unseen = instants - planned.length;
  const most = started + unseen;
  if (most === 0) return { most, submit: "Nothing to start" };
  return { most, submit: `Start ${unseen > 0 ? "up to " : ""}${plural(most, "run")}` };
}

/** What a backfill would do, instant by instant. */
export function Planned({ plan }: { plan: Plan }) {
  return (
    <section aria-label="What would run">
      <p className="mb-2 font-medium">{headOf(plan)}</p>
      <ol
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="scroll-thin max-h-56 divide-y divide-line overflow-y-auto rounded-md border border-line"
      >
        {plan.planned.map((each) => (
          <li key={each.at} className="flex min-h-8 items-center gap-3 px-3 py-1">
            <span className={`flex-1 ${each.starts ? "" : "text-ink-2"}`}>
              <Time at={each.at} planned />
            </span>
            <span className="inline-flex items-center gap-1.5 text-xs text-ink-2">
              {each.starts ? (
                <CircleCheck aria-hidden className="size-3.5 text-ok" />
              ) : (
                <CircleMinus aria-hidden className="size-3.5" />
              )}
              {wordOf(each)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function headOf({ planned, instants }: Plan): string {
  const started = planned.filter((each) => each.starts).length;
  if (instants > planned.length)
    return `The first ${planned.length} of ${plural(instants, "time")}`;
  if (started === 0) return "Nothing is missing in this range";
  if (started === instants) return `${plural(started, "run")} would start`;
  return `${started} of ${plural(instants, "time")} would start a run`;
}

function wordOf({ starts, state }: Instant): string {
  const was = state ? lookOf(state).word.toLowerCase() : null;
  if (starts) return was ? `runs again, was ${was}` : "runs";
  return was ? `stays as it is: ${was}` : "left out";
}
