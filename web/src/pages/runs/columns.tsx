import type { Run } from "@/api/types";
import { argsText } from "@/lib/args";
import { errorText, pretty, shortId } from "@/lib/format";
import { useWidth, WIDTHS } from "@/lib/useWidth";
import { Name } from "@/ui/Name";
import { Progress } from "@/ui/Panels";
import { StateBadge, stateOf } from "@/ui/State";
import type { Column } from "@/ui/Table";
import { Duration, Time } from "@/ui/Time";
import { WorkerName } from "../workers/WorkerName";

/** On a phone what went wrong stands under the name. */
export const NARROW_RUN_PX = 64;

const JOB = named("Job", ({ jobId }) => jobId, partOf);

export const RUN_COLUMNS: Column<Run>[] = [
  {
    key: "state",
    title: "State",
    width: "7.5rem",
    from: "sm",
    cell: (run) => <StateBadge state={stateOf(run)} />,
  },
  JOB,
  {
    key: "note",
    title: "Progress or error",
    width: "minmax(0,1.3fr)",
    from: "md",
    cell: (run) => <Note run={run} />,
  },
  {
    key: "queue",
    title: "Queue, worker",
    width: "8rem",
    from: "lg",
    cell: (run) => (
      <>
        <span className="block truncate text-ink-2" title={run.queue}>
          {run.queue}
        </span>
        {run.workerId && (
          <span className="block truncate text-2xs text-ink-3">
            <WorkerName id={run.workerId} />
          </span>
        )}
      </>
    ),
  },
  {
    key: "attempt",
    title: "Attempt",
    width: "4rem",
    from: "xl",
    right: true,
    cell: (run) => run.attempt || "–",
  },
  {
    key: "created",
    title: "Created, for",
    width: "9rem",
    from: "sm",
    right: true,
    cell: (run) => (
      <>
        <Time at={run.createdAt} />
        {run.scheduledFor && (
          <span className="block text-2xs text-ink-3">
            for <Time at={run.scheduledFor} />
          </span>
        )}
      </>
    ),
  },
  {
    key: "took",
    title: "Took",
    width: "4.5rem",
    right: true,
    cell: (run) => <Duration from={run.startedAt} until={run.finishedAt} ms={run.durationMs} />,
  },
];

/** The steps of one graph: nodes of the same job are told apart by their own names. */
export const STEP_COLUMNS: Column<Run>[] = RUN_COLUMNS.map((column) =>
  column === JOB ? named("Node", stepOf, ofJob) : column,
);

/** What a row is called, and under it what else tells it apart. */
function named(
  title: string,
  nameOf: (run: Run) => string,
  moreOf: (run: Run) => string,
): Column<Run> {
  return {
    key: "job",
    title,
    main: true,
    width: "minmax(0,1.9fr)",
    cell: (run) => (
      <>
        <Name text={nameOf(run)} className="font-medium" />
        <span className="block truncate text-2xs text-ink-3">
          <span className="mr-1.5 sm:hidden">
            <StateBadge state={stateOf(run)} small />
          </span>
          <span className="font-mono max-sm:hidden">{shortId(run.executionId)}</span>
          <span className="sm:hidden">
            <Time at={run.createdAt} ago />
            {run.scheduledFor && (
              <>
                {" · for "}
                <Time at={run.scheduledFor} />
              </>
            )}
          </span>
          {moreOf(run)}
          <Args run={run} />
        </span>
        <NarrowNote run={run} />
      </>
    ),
  };
}

function Args({ run }: { run: Run }) {
  const text = argsText(run.args);
  return (
    text && (
      <>
        {" · "}
        <span className="font-mono text-ink-2" title={pretty(run.args)}>
          {text}
        </span>
      </>
    )
  );
}

function stepOf({ node, item, jobId }: Run): string {
  return item == null ? (node ?? jobId) : `${node ?? jobId}, item ${item}`;
}

function ofJob({ node, jobId }: Run): string {
  return node && node !== jobId ? ` · ${jobId}` : "";
}

/** Which node and item of a graph it is; a node that is called like its job is not named twice. */
function partOf({ node, item, jobId }: Run): string {
  const named = node && node !== jobId ? ` · ${node}` : "";
  return item == null ? named : `${named} · item ${item}`;
}

/** Where there is no column for it; not only hidden elsewhere, as readers would hear it twice. */
function NarrowNote({ run }: { run: Run }) {
  const isNarrow = useWidth() < WIDTHS.md;
  return (
    isNarrow && (
      <span className="block truncate">
        <Note run={run} />
      </span>
    )
  );
}

function Note({ run }: { run: Run }) {
  if (run.error)
    return (
      <span className="truncate font-mono text-xs text-bad">
        {errorText(run.error.type, run.error.message)}
      </span>
    );
  if (run.reason && run.state !== "success")
    return <span className="text-ink-2">{run.reason}</span>;
  if (run.progress == null || run.finishedAt)
    return <span className="text-ink-2">{run.progressNote}</span>;
  return (
    <span className="flex items-center gap-2">
      <span className="w-24 shrink-0">
        <Progress share={run.progress / 100} label={`Progress of ${run.jobId}`} />
      </span>
      <span className="truncate text-xs text-ink-2">{run.progressNote}</span>
    </span>
  );
}
