import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { run as runQuery } from "@/api/queries";
import type { Run } from "@/api/types";
import { argsText, hasArgs } from "@/lib/args";
import { shortId } from "@/lib/format";
import { Name } from "@/ui/Name";
import { Fact, Facts } from "@/ui/Panels";
import { Duration, Time } from "@/ui/Time";
import { WorkerLink } from "../workers/WorkerName";
import { labelTexts } from "./labels";

export function RunFacts({ run }: { run: Run }) {
  return (
    <Facts wide>
      <Fact name="Created">
        <Time at={run.createdAt} />
      </Fact>
      <Fact name={run.startedAt ? "Started" : "Due"}>
        <Time at={run.startedAt ?? run.dueAt} />
      </Fact>
      <Fact name="Finished">
        <Time at={run.finishedAt} none="not yet" />
      </Fact>
      {/* What ran several times has one figure for each: it says of which this is. */}
      <Fact name={run.finishedAt && run.attempt > 1 ? "Last took" : "Took"}>
        <Took run={run} />
      </Fact>
      <Fact name="Attempt">
        {run.attempt ? `${run.attempt}` : <span className="text-ink-3">none yet</span>}
        <span className="text-ink-2">{wentWrong(run)}</span>
      </Fact>
      <Fact name="Queue" long={run.queue.length > NARROW}>
        <Link to="/queues/$name" params={{ name: run.queue }} className="link block max-w-max">
          <Name text={run.queue} />
        </Link>
        {run.priority !== 0 && <span className="text-ink-2">{`priority ${run.priority}`}</span>}
      </Fact>
      {run.workerId && (
        <Fact name="Worker">
          <WorkerLink id={run.workerId} />
        </Fact>
      )}
      <Fact name="Version">
        {run.version ? (
          <Link
            to="/jobs/$id"
            params={{ id: run.jobId }}
            search={{ tab: "versions" } as never}
            className="link"
          >
            {`v${run.version}`}
          </Link>
        ) : (
          "–"
        )}
      </Fact>
      {run.schedule && (
        <Fact name="Schedule" long>
          <Link to="/runs" search={{ schedule: run.schedule } as never} className="link">
            {run.schedule}
          </Link>{" "}
          <span className="text-ink-2">
            for <Time at={run.scheduledFor} />
          </span>
        </Fact>
      )}
      {run.parentId && <PartOf run={run} id={run.parentId} />}
      {run.rerunOf && <RunLink name="Rerun of" id={run.rerunOf} />}
      {run.failureOf && <RunLink name="Failure of" id={run.failureOf} />}
      {run.onFailureRun && <RunLink name="On failure" id={run.onFailureRun} />}
      {Object.keys(run.labels ?? {}).length > 0 && (
        <Fact name="Labels" long>
          <span className="flex flex-wrap gap-1.5">
            {labelTexts(run.labels).map((label) => (
              <Link
                key={label}
                to="/runs"
                search={{ label } as never}
                title={`All runs with the label ${label}`}
                className="max-w-full truncate rounded-full bg-accent-soft px-2 text-xs leading-5 text-accent"
              >
                {label}
              </Link>
            ))}
          </span>
        </Fact>
      )}
      {!run.error && hasArgs(run.args) && (
        <Fact name="Arguments" long>
          <Link
            to="."
            search={((old: object) => ({ ...old, tab: "data" })) as never}
            className="line-clamp-2 font-mono text-xs break-words hover:underline"
            title="All arguments, and the result"
          >
            {argsText(run.args)}
          </Link>
        </Fact>
      )}
      {run.key && (
        <Fact name="Key" long>
          {run.key}
        </Fact>
      )}
    </Facts>
  );
}

function RunLink({ name, id }: { name: string; id: string }) {
  return (
    <Fact name={name} long>
      <Link to="/runs/$id" params={{ id }} className="link">
        {shortId(id)}
      </Link>
    </Fact>
  );
}

/** Longer names have no room in half a phone. */
const NARROW = 16;

function Took({ run }: { run: Run }) {
  if (!run.startedAt) return <span className="text-ink-3">not started</span>;
  return (
    <>
      <Duration from={run.startedAt} until={run.finishedAt} ms={run.durationMs} />
      {!run.finishedAt && <span className="text-ink-2"> so far</span>}
    </>
  );
}

/** The graph by its name; the link opens it at this node. */
function PartOf({ run, id }: { run: Run; id: string }) {
  const { data: parent } = useQuery(runQuery(id));
  const where = [run.node && `node ${run.node}`, run.item != null && `item ${run.item}`];
  return (
    <Fact name="Part of" long>
      <Link
        to="/runs/$id"
        params={{ id }}
        search={(run.node ? { node: run.node } : {}) as never}
        className="link"
      >
        {parent ? `${parent.jobId} ${shortId(id)}` : shortId(id)}
      </Link>
      <span className="text-ink-2">
        {where
          .filter(Boolean)
          .map((each) => `, ${each}`)
          .join("")}
      </span>
    </Fact>
  );
}

/** Failed and lost attempts, without saying a number twice. */
export function wentWrong({ attempt, failures, crashes }: Run): string {
  if (attempt > 1 && failures === attempt) return ", all failed";
  const failed = failures > 0 && (attempt > 1 ? `, ${failures} failed` : ", failed");
  return [failed, crashes > 0 && `, ${crashes} lost with a worker`].filter(Boolean).join("");
}
