import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Footprints } from "lucide-react";
import { lazy, Suspense } from "react";
import { nodes, run as runQuery, runs } from "@/api/queries";
import type { Run } from "@/api/types";
import { shortId } from "@/lib/format";
import { patiently } from "@/lib/patiently";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { RunLog } from "@/shell/RunLog";
import { Actions } from "@/ui/Actions";
import { CopyButton } from "@/ui/Copy";
import { JsonView } from "@/ui/Json";
import { ListTable } from "@/ui/ListTable";
import { Card, Empty, Load, PageHead, Skeleton } from "@/ui/Panels";
import { coming, Part } from "@/ui/Part";
import { lookOf, StateBadge, stateOf } from "@/ui/State";
import { Tabs, tabOf } from "@/ui/Tabs";
import { Attempts } from "./Attempts";
import { Compare } from "./Compare";
import { NARROW_RUN_PX, STEP_COLUMNS } from "./columns";
import { Doubts } from "./Doubts";
import { Neighbours } from "./Neighbours";
import { Now } from "./Now";
import { Rerun } from "./Rerun";
import { RunFacts } from "./RunFacts";

// Asked for beside the run, not after it: whether it is one of a graph is known only then.
const RunGraph = coming(patiently(() => import("@/graph/RunGraph"))());
const RunGantt = lazy(patiently(() => import("@/graph/RunGantt")));

export function RunPage() {
  const { id = "" } = useParams({ strict: false });
  const query = useQuery(runQuery(id));
  const shape = useQuery(nodes(id));
  if (shape.isPending) return <Skeleton lines={10} />;
  return (
    <Load query={query} lines={10} page>
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
    { key: "attempts", title: "Attempts", count: run.attempt || undefined },
    ...(isGraph ? [{ key: "children", title: "Steps" }] : []),
    { key: "compare", title: "Compare" },
  ];
  const tab = tabOf(tabs, search.tab);
  return (
    <>
      <PageHead
        name={`${lookOf(stateOf(run)).word}: ${run.jobId}`}
        title={
          <>
            <Link to="/jobs/$id" params={{ id: run.jobId }} className="hover:underline">
              {run.jobId}
            </Link>
            <StateBadge state={stateOf(run)} />
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
            <Neighbours run={run} />
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
      {mayDoubt(run) && <Doubts id={run.executionId} />}
      <Card className="mb-5">
        <RunFacts run={run} />
      </Card>
      <Tabs label="Parts of this run" tabs={tabs} current={tab}>
        <Suspense fallback={<Skeleton lines={6} />}>
          {tab === "graph" && <Part of={RunGraph} given={{ run }} />}
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
      </Tabs>
    </>
  );
}

/** Of others nobody asks: a run that goes on is at it, one that went well left no doubt. */
function mayDoubt(run: Run): boolean {
  return run.state !== "running" && run.state !== "success" && run.attempt > 0;
}

function Log({ run }: { run: Run }) {
  const [search, setSearch] = useFilters();
  const isLive = !run.finishedAt;
  return (
    <Card flush>
      <RunLog
        id={run.executionId}
        live={isLive}
        height={isLive && !run.startedAt ? "h-20" : undefined}
        wanted={{ text: search.find ?? "", level: search.level ?? "" }}
        onWanted={({ text, level }) =>
          setSearch({ find: text || undefined, level: level || undefined })
        }
      />
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
  const list = useList<Run>(runs({ parentId: run.executionId }));
  return (
    <ListTable
      label="Steps of this run"
      list={list}
      columns={STEP_COLUMNS}
      narrowHeight={NARROW_RUN_PX}
      idOf={(each) => each.executionId}
      href={(each) => `/runs/${each.executionId}`}
      onOpen={(each) => void navigate({ to: "/runs/$id", params: { id: each.executionId } })}
      empty={
        <Empty icon={Footprints} title="No step has a run yet">
          Each node gets one here when its turn comes, a map one for each item.
        </Empty>
      }
    />
  );
}
