import { useQuery } from "@tanstack/react-query";
import { CircleX } from "lucide-react";
import type { ReactNode } from "react";
import { nodes } from "@/api/queries";
import type { GraphNode, GraphOfRun, Run } from "@/api/types";
import { count } from "@/lib/format";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { FlowGraph } from "./FlowGraph";
import { FullScreen } from "./FullScreen";
import { NodePanel } from "./NodePanel";
import { inWords, StateBar } from "./StateBar";

const MOST_NAMED = 8;

/** The graph of a run, live; a node's facts and log open below it. */
export default function RunGraph({ run }: { run: Run }) {
  const query = useQuery({
    ...nodes(run.executionId),
    refetchInterval: run.finishedAt ? false : 4_000,
  });
  return (
    <Card flush>
      <Load query={query}>
        {(data) => (
          <FullScreen>
            {(button, isFull) => <Body run={run} data={data} button={button} isFull={isFull} />}
          </FullScreen>
        )}
      </Load>
    </Card>
  );
}

interface BodyProps {
  run: Run;
  data: GraphOfRun;
  /** Gives it all of the window, or takes it back. */
  button: ReactNode;
  isFull: boolean;
}

function Body({ run, data, button, isFull }: BodyProps) {
  const [search, setSearch] = useFilters();
  const { graph, progress } = data;
  if (!graph) return <Empty title="This run has no graph" />;
  const node = graph.nodes.find((each) => each.name === search.node);
  const failed = graph.nodes.filter((each) => each.state === "failed");
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5">
        <span className="num">{`${count(progress.done)} of ${count(progress.total)} done`}</span>
        <span className="min-w-24 flex-1">
          <StateBar byState={progress.byState} />
        </span>
        <span className="num text-xs text-ink-2 max-sm:basis-full">
          {inWords(progress.byState)}
        </span>
        {progress.estimateMs != null && !run.finishedAt && (
          <span className="num text-ink-2">{`about ${duration(progress.estimateMs)} left`}</span>
        )}
        {progress.criticalPath && progress.criticalPath.length > 0 && (
          <span className="flex items-center gap-1.5 text-xs text-ink-2">
            <span className="h-0.5 w-5 bg-accent" />
            Critical path
          </span>
        )}
        {button}
      </div>
      <FlowGraph
        shape={graph}
        lead={failed.length > 0 && <Failed nodes={failed} />}
        criticalPath={progress.criticalPath}
        chosen={search.node}
        onChoose={(name) => setSearch({ node: name })}
        isFull={isFull}
      />
      {node && (
        <NodePanel
          key={node.name}
          run={run}
          node={node}
          conditions={graph.edges.filter((edge) => edge.to === node.name && edge.when)}
          onClose={() => setSearch({ node: undefined })}
        />
      )}
    </>
  );
}

/** Straight to what went wrong. */
function Failed({ nodes: failed }: { nodes: GraphNode[] }) {
  const [search, setSearch] = useFilters();
  return (
    <div className="scroll-thin flex items-center gap-1.5 overflow-x-auto px-4 py-2">
      <span className="text-xs text-ink-2">Failed</span>
      {failed.slice(0, MOST_NAMED).map((each) => (
        <button
          key={each.name}
          type="button"
          aria-pressed={each.name === search.node}
          onClick={() => setSearch({ node: each.name })}
          className="flex h-7 max-w-64 shrink-0 items-center gap-1.5 rounded-full bg-bad-soft px-2.5 text-xs font-medium text-bad aria-pressed:ring-2 aria-pressed:ring-bad aria-pressed:ring-inset max-sm:h-9"
        >
          <CircleX aria-hidden className="size-3.5 shrink-0" />
          <Name text={each.name} />
        </button>
      ))}
      {failed.length > MOST_NAMED && (
        <span className="text-xs whitespace-nowrap text-ink-2">{`and ${count(failed.length - MOST_NAMED)} more`}</span>
      )}
    </div>
  );
}
