import { useNavigate } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import type { LastRun } from "@/api/types";
import { duration } from "@/lib/time";
import { lookOf } from "./State";

const SHOWN = 30;

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
  const longest = Math.max(1, ...shown.map((run) => run.durationMs ?? 0));
  const good = shown.filter((run) => run.state === "success").length;
  const open = (event: MouseEvent) => {
    const id = (event.target as HTMLElement).dataset.id;
    if (!id) return;
    event.stopPropagation();
    void navigate({ to: "/runs/$id", params: { id } });
  };
  if (shown.length === 0) return <span className="text-ink-3">No runs yet</span>;
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
          title={`${lookOf(run.state).word}, ${duration(run.durationMs)}`}
          className={`${tall ? "max-w-4 flex-1" : "w-1"} cursor-pointer rounded-[1px] hover:opacity-60 ${lookOf(run.state).fill}`}
          style={{ height: `${30 + (70 * (run.durationMs ?? 0)) / longest}%` }}
        />
      ))}
    </div>
  );
}
