import { Activity } from "lucide-react";
import type { JobDetail } from "@/api/types";
import { duration } from "@/lib/time";
import { Card, Empty } from "@/ui/Panels";
import { longestOf, RunStrip } from "@/ui/RunStrip";
import { lookOf } from "@/ui/State";

/** A bar a run, as high as it took long; each leads to its run. */
export function LastRuns({ job }: { job: JobDetail }) {
  const states = [...new Set(job.last.map((run) => run.state))];
  if (job.last.length === 0) {
    return (
      <Card title="Last 30 runs">
        <Empty icon={Activity} title="No runs yet">
          Trigger it, or give it a schedule.
        </Empty>
      </Card>
    );
  }
  return (
    <Card title="Last 30 runs" aside="oldest first; height is the duration">
      <div className="flex gap-2">
        <div
          aria-hidden
          className="num -my-2 flex flex-col justify-between text-right text-2xs text-ink-3"
        >
          <span>{duration(longestOf(job.last))}</span>
          <span>0</span>
        </div>
        <div className="min-w-0 flex-1 border-y border-line">
          <RunStrip tall runs={job.last} label={job.name} />
        </div>
      </div>
      <p className="flex flex-wrap gap-x-4 gap-y-1 pt-3 text-xs text-ink-2">
        {states.map((state) => (
          <span key={state} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2 rounded-[2px] ${lookOf(state).fill}`} />
            {lookOf(state).word}
          </span>
        ))}
      </p>
    </Card>
  );
}
