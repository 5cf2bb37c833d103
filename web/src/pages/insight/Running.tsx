import { Link } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import { runs } from "@/api/queries";
import type { Run } from "@/api/types";
import { argsText } from "@/lib/args";
import { useList } from "@/lib/useList";
import { Name } from "@/ui/Name";
import { Card, Empty, ErrorPanel, Progress } from "@/ui/Panels";
import { Duration } from "@/ui/Time";

export function Running({ className }: { className?: string }) {
  const { rows, loading, error, refetch } = useList<Run>(
    runs({ status: "running", steps: false, limit: 8 }),
  );
  return (
    <Card
      title="Running now"
      className={className ?? ""}
      flush
      aside={
        <Link to="/runs" search={{ status: "running" } as never} className="link">
          All
        </Link>
      }
    >
      {error && (
        <div className="p-4">
          <ErrorPanel error={error} retry={() => void refetch()} />
        </div>
      )}
      {rows.length === 0 && !loading && !error && (
        <Empty icon={Activity} title="Nothing runs now">
          Runs are here while workers carry them out.
        </Empty>
      )}
      <ul className="divide-y divide-line">
        {rows.slice(0, 6).map((run) => (
          <li key={run.executionId}>
            <Link
              to="/runs/$id"
              params={{ id: run.executionId }}
              className="flex items-center gap-3 px-4 py-2 hover:bg-sunken"
            >
              <div className="min-w-0 flex-1">
                <Name text={run.jobId} className="font-medium" />
                <p className="truncate text-xs text-ink-2">
                  {[run.progressNote ?? run.queue, argsText(run.args)].filter(Boolean).join(" · ")}
                </p>
              </div>
              {run.progress != null && (
                <div className="w-16">
                  <Progress share={run.progress / 100} label={`Progress of ${run.jobId}`} />
                </div>
              )}
              <span className="w-16 text-right text-ink-2">
                <Duration from={run.startedAt} until={run.finishedAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
