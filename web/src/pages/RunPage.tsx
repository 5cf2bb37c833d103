import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import { lazy, Suspense } from "react";
import { children as childrenOf, nodes, run as runQuery, why } from "@/api/queries";
import type { Run } from "@/api/types";
import { percent, shortId } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { downloadLog, useLog } from "@/shell/live";
import { Actions } from "@/ui/Actions";
import { CopyButton, JsonView } from "@/ui/Json";
import { LogView } from "@/ui/LogView";
import {
  Card,
  Empty,
  ErrorPanel,
  Fact,
  Facts,
  Load,
  PageHead,
  Progress,
  Skeleton,
} from "@/ui/Panels";
import { StateBadge } from "@/ui/State";
import { Table } from "@/ui/Table";
import { Tabs } from "@/ui/Tabs";
import { Duration, Time } from "@/ui/Time";
import { Attempts } from "./run/Attempts";
import { Compare } from "./run/Compare";
import { Rerun } from "./run/Rerun";
import { RUN_COLUMNS } from "./runs/columns";

const RunGraph = lazy(() => import("@/graph/RunGraph"));
const RunGantt = lazy(() => import("@/graph/RunGantt"));

export function RunPage() {
  const { id = "" } = useParams({ strict: false });
  const query = useQuery(runQuery(id));
  const shape = useQuery(nodes(id));
  if (shape.isPending) return <Skeleton lines={10} />;
  return (
    <Load query={query} lines={10}>
      {(run) => <Body key={run.executionId} run={run} isGraph={Boolean(shape.data?.graph)} />}
    </Load>
  );
}

function Body({ run, isGraph }: { run: Run; isGraph: boolean }) {
  const [search] = useFilters();
  const tabs = [
    ...(isGraph
      ? [
          { key: "graph", title: "Graph" },
          { key: "gantt", title: "Gantt" },
        ]
      : []),
    { key: "log", title: "Log" },
    { key: "data", title: "Arguments and result" },
    { key: "attempts", title: "Attempts", count: run.attempt },
    ...(isGraph ? [{ key: "children", title: "Steps" }] : []),
    { key: "compare", title: "Compare" },
  ];
  const tab = search.tab ?? (isGraph ? "graph" : "log");
  return (
    <>
      <PageHead
        title={
          <>
            <Link to="/jobs/$id" params={{ id: run.jobId }} className="hover:underline">
              {run.jobId}
            </Link>
            <StateBadge state={run.state} />
          </>
        }
        about={
          <span className="flex min-w-0 items-center font-mono text-xs">
            <span className="truncate">{run.executionId}</span>
            <CopyButton text={run.executionId} label="Copy the id" />
          </span>
        }
        actions={
          <>
            <Rerun run={run} isGraph={isGraph} />
            <Actions
              subject="run"
              item={run}
              id={run.executionId}
              name={`${run.jobId} ${shortId(run.executionId)}`}
            />
          </>
        }
      />
      <Now run={run} />
      <Card className="mb-5">
        <RunFacts run={run} />
      </Card>
      <Tabs label="Parts of this run" tabs={tabs} current={tab} />
      <Suspense fallback={<Skeleton lines={6} />}>
        {tab === "graph" && <RunGraph run={run} />}
        {tab === "gantt" && <RunGantt run={run} />}
        {tab === "log" && <Log run={run} />}
        {tab === "data" && <Data run={run} />}
        {tab === "attempts" && (
          <Card flush>
            <Attempts run={run} />
          </Card>
        )}
        {tab === "children" && <Children run={run} />}
        {tab === "compare" && <Compare run={run} />}
      </Suspense>
    </>
  );
}

/** What matters most at this moment: the error, what it waits for, or how far it is. */
function Now({ run }: { run: Run }) {
  const isWaiting = !run.finishedAt && run.state !== "running";
  const { data } = useQuery({ ...why(run.executionId), enabled: isWaiting });
  const reasons = (isWaiting && data?.items) || [];
  return (
    <div className="mb-4 space-y-3 empty:hidden">
      {run.error && (
        <div className="rounded-lg border border-bad/30 bg-bad-soft px-4 py-3">
          <p className="font-mono text-xs font-semibold text-bad break-words">{run.error.type}</p>
          <p className="mt-0.5 whitespace-pre-wrap break-words">{run.error.message}</p>
          {run.error.traceback && (
            <details className="mt-2">
              <summary className="text-xs text-ink-2">Traceback</summary>
              <pre className="scroll-thin mt-1 max-h-80 overflow-auto rounded-md bg-surface p-3 font-mono text-xs">
                {run.error.traceback}
              </pre>
            </details>
          )}
        </div>
      )}
      {run.reason && !run.error && (
        <p className="rounded-lg border border-line bg-sunken px-4 py-3 break-words">
          {run.reason}
        </p>
      )}
      {run.cancelRequested && !run.finishedAt && (
        <p className="rounded-lg border border-warn/30 bg-warn-soft px-4 py-3">
          It was asked to stop and does so as soon as it can.
        </p>
      )}
      {!run.finishedAt && run.progress != null && (
        <div className="card px-4 py-3">
          <div className="mb-2 flex justify-between gap-4">
            <span className="truncate">{run.progressNote ?? "Progress"}</span>
            <span className="num font-medium">{percent(run.progress / 100)}</span>
          </div>
          <Progress share={run.progress / 100} label="Progress" />
        </div>
      )}
      {reasons.length > 0 && (
        <div className="rounded-lg border border-warn/30 bg-warn-soft px-4 py-3">
          <h2 className="mb-1 flex items-center gap-2 font-semibold text-warn">
            <CircleHelp aria-hidden className="size-4" />
            Why is it not running?
          </h2>
          <ul className="space-y-1">
            {reasons.map((reason, index) => (
              <li key={index} className="break-words">
                {reason.says}
                {reason.until && (
                  <>
                    {" "}
                    (until <Time at={reason.until} />)
                  </>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function RunFacts({ run }: { run: Run }) {
  const link = "link";
  return (
    <Facts wide>
      <Fact name="Created">
        <Time at={run.createdAt} />
      </Fact>
      <Fact name="Queue">
        <Link to="/runs" search={{ queue: run.queue } as never} className={link}>
          {run.queue}
        </Link>
        {run.priority !== 0 && <span className="text-ink-2">{`, priority ${run.priority}`}</span>}
      </Fact>
      <Fact name={run.startedAt ? "Started" : "Due"}>
        <Time at={run.startedAt ?? run.dueAt} />
      </Fact>
      <Fact name="Attempt">
        {`${run.attempt}`}
        {run.failures > 0 && <span className="text-ink-2">{`, ${run.failures} failed`}</span>}
        {run.crashes > 0 && <span className="text-ink-2">{`, ${run.crashes} crashed`}</span>}
      </Fact>
      <Fact name="Finished">
        <Time at={run.finishedAt} />
      </Fact>
      <Fact name="Took">
        <Duration from={run.startedAt} until={run.finishedAt} ms={run.durationMs} />
      </Fact>
      {run.workerId && (
        <Fact name="Worker">
          <span className="font-mono text-xs" title={run.workerId}>
            {shortId(run.workerId)}
          </span>
        </Fact>
      )}
      <Fact name="Version">{run.version ? `v${run.version}` : "–"}</Fact>
      {run.schedule && (
        <Fact name="Schedule">
          <Link to="/runs" search={{ schedule: run.schedule } as never} className={link}>
            {run.schedule}
          </Link>{" "}
          <span className="text-ink-2">
            for <Time at={run.scheduledFor} />
          </span>
        </Fact>
      )}
      {run.parentId && (
        <Fact name="Part of">
          <Link to="/runs/$id" params={{ id: run.parentId }} className={link}>
            {shortId(run.parentId)}
          </Link>
          {run.node && <span className="text-ink-2">{`, node ${run.node}`}</span>}
        </Fact>
      )}
      {run.rerunOf && (
        <Fact name="Rerun of">
          <Link to="/runs/$id" params={{ id: run.rerunOf }} className={link}>
            {shortId(run.rerunOf)}
          </Link>
        </Fact>
      )}
      {run.key && <Fact name="Key">{run.key}</Fact>}
    </Facts>
  );
}

function Log({ run }: { run: Run }) {
  const isLive = !run.finishedAt;
  const { lines, error } = useLog(run.executionId, isLive);
  if (error) return <ErrorPanel error={error} />;
  return (
    <Card flush>
      <LogView lines={lines} live={isLive} onDownload={() => downloadLog(run.executionId)} />
    </Card>
  );
}

function Data({ run }: { run: Run }) {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card title="Arguments">
        <JsonView value={run.args ?? null} label="Arguments" />
      </Card>
      <Card title="Result">
        {run.result === undefined || run.result === null ? (
          <p className="text-ink-2">
            {run.finishedAt ? "It returned nothing." : "There is none before it ends."}
          </p>
        ) : (
          <JsonView value={run.result} label="Result" />
        )}
      </Card>
    </div>
  );
}

function Children({ run }: { run: Run }) {
  const navigate = useNavigate();
  const query = useQuery(childrenOf(run.executionId));
  return (
    <Load query={query}>
      {({ items }) => (
        <Table
          label="Steps of this run"
          rows={items}
          columns={RUN_COLUMNS}
          idOf={(each) => each.executionId}
          onOpen={(each) => void navigate({ to: "/runs/$id", params: { id: each.executionId } })}
          empty={<Empty title="No step has a run yet" />}
        />
      )}
    </Load>
  );
}
