import { useQuery } from "@tanstack/react-query";
import { nodes } from "@/api/queries";
import type { GraphOfRun, Run } from "@/api/types";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Card, Empty, Load } from "@/ui/Panels";
import { FlowGraph } from "./FlowGraph";
import { NodePanel } from "./NodePanel";
import { inWords, StateBar } from "./StateBar";

/** The graph of a run, live; a node's facts and log open below it. */
export default function RunGraph({ run }: { run: Run }) {
  const query = useQuery({
    ...nodes(run.executionId),
    refetchInterval: run.finishedAt ? false : 4_000,
  });
  return (
    <Card flush>
      <Load query={query}>{(data) => <Body run={run} data={data} />}</Load>
    </Card>
  );
}

function Body({ run, data }: { run: Run; data: GraphOfRun }) {
  const [search, setSearch] = useFilters();
  const { graph, progress } = data;
  if (!graph) return <Empty title="This run has no graph" />;
  const node = graph.nodes.find((each) => each.name === search.node);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5">
        <span className="num">{`${progress.done} of ${progress.total} done`}</span>
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
            critical path
          </span>
        )}
      </div>
      <FlowGraph
        shape={graph}
        criticalPath={progress.criticalPath}
        chosen={search.node}
        onChoose={(name) => setSearch({ node: name })}
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
