import { useNavigate } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import type { LastRun } from "@/api/types";
import { duration, planned, utc } from "@/lib/time";
import { lookOf } from "./State";

const SHOWN = 30;

export function longestOf(runs: LastRun[]): number {
  return Math.max(1, ...runs.slice(0, SHOWN).map((run) => run.durationMs ?? 0));
}

function inShort({ state, durationMs }: LastRun): string {
  return `${lookOf(state).word}, ${duration(durationMs)}`;
}

function atLength(run: LastRun): string {
  const { startedAt } = run;
  return startedAt ? `${inShort(run)}\n${planned(startedAt)}\n${utc(startedAt)}` : inShort(run);
}

/** The last runs, given the newest first and shown the oldest first: colour is the end, height the duration beside its neighbours. */
export function RunStrip({
  runs,
  label,
  tall,
}: {
  runs: LastRun[];
  label: string;
  tall?: boolean;
}) {
  const navigate = useNavigate();
  const shown = runs.slice(0, SHOWN).reverse();
  const longest = longestOf(shown);
  // Where there is a scale, heights keep to it; a small strip is more about colours.
  const least = tall ? 2 : 30;
  const good = shown.filter((run) => run.state === "success").length;
  const open = (event: MouseEvent) => {
    const id = (event.target as HTMLElement).dataset.id;
    if (!id) return;
    event.stopPropagation();
    event.preventDefault();
    void navigate({ to: "/runs/$id", params: { id } });
  };
  if (shown.length === 0) return <span className="text-ink-3">None ended yet</span>;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same runs are in the list of the job's page
    <div
      role="img"
      aria-label={`${label}: ${good} of the last ${shown.length} succeeded`}
      className={`flex items-end ${tall ? "h-28 gap-1 xl:h-44" : "h-6 gap-px max-md:h-4"}`}
      onClick={open}
    >
      {shown.map((run) => (
        <span
          key={run.executionId}
          data-id={run.executionId}
          title={tall ? atLength(run) : inShort(run)}
          className={`${tall ? "max-w-4 flex-1" : "w-1"} cursor-pointer rounded-[1px] hover:opacity-60 ${lookOf(run.state).fill}`}
          style={{ height: `${least + ((100 - least) * (run.durationMs ?? 0)) / longest}%` }}
        />
      ))}
    </div>
  );
}
