import { Link } from "@tanstack/react-router";
import type { Run } from "@/api/types";
import { shortId } from "@/lib/format";
import { Fact, Facts } from "@/ui/Panels";
import { Duration, Time } from "@/ui/Time";

export function RunFacts({ run }: { run: Run }) {
  const link = "link";
  return (
    <Facts wide>
      <Fact name="Created">
        <Time at={run.createdAt} />
      </Fact>
      <Fact name={run.startedAt ? "Started" : "Due"}>
        <Time at={run.startedAt ?? run.dueAt} />
      </Fact>
      <Fact name="Finished">
        <Time at={run.finishedAt} />
      </Fact>
      <Fact name="Took">
        <Duration from={run.startedAt} until={run.finishedAt} ms={run.durationMs} />
      </Fact>
      <Fact name="Attempt">
        {`${run.attempt}`}
        <span className="text-ink-2">{wentWrong(run)}</span>
      </Fact>
      <Fact name="Queue">
        <Link to="/runs" search={{ queue: run.queue } as never} className={link}>
          {run.queue}
        </Link>
        {run.priority !== 0 && <span className="text-ink-2">{`, priority ${run.priority}`}</span>}
      </Fact>
      {run.workerId && (
        <Fact name="Worker">
          <Link to="/workers" className={`${link} font-mono text-xs`} title={run.workerId}>
            {shortId(run.workerId)}
          </Link>
        </Fact>
      )}
      <Fact name="Version">{run.version ? `v${run.version}` : "–"}</Fact>
      {run.schedule && (
        <Fact name="Schedule" long>
          <Link to="/runs" search={{ schedule: run.schedule } as never} className={link}>
            {run.schedule}
          </Link>{" "}
          <span className="text-ink-2">
            for <Time at={run.scheduledFor} />
          </span>
        </Fact>
      )}
      {run.parentId && (
        <Fact name="Part of" long>
          <Link to="/runs/$id" params={{ id: run.parentId }} className={link}>
            {shortId(run.parentId)}
          </Link>
          {run.node && <span className="text-ink-2">{`, node ${run.node}`}</span>}
        </Fact>
      )}
      {run.rerunOf && (
        <Fact name="Rerun of" long>
          <Link to="/runs/$id" params={{ id: run.rerunOf }} className={link}>
            {shortId(run.rerunOf)}
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

/** Failed and lost attempts, without saying a number twice. */
export function wentWrong({ attempt, failures, crashes }: Run): string {
  if (attempt > 1 && failures === attempt) return ", all failed";
  const failed = failures > 0 && (attempt > 1 ? `, ${failures} failed` : ", failed");
  return [failed, crashes > 0 && `, ${crashes} lost with a worker`].filter(Boolean).join("");
}
