import { useQuery } from "@tanstack/react-query";
import { nodes } from "@/api/queries";
import type { GraphNode, Run } from "@/api/types";
import { duration, hourMinute } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Card, Empty, Load } from "@/ui/Panels";
import { lookOf } from "@/ui/State";
import { useNow } from "@/ui/Time";

/** When each node ran, on one axis: gaps are waits, the longest bars are where time went. */
export default function RunGantt({ run }: { run: Run }) {
  const query = useQuery({
    ...nodes(run.executionId),
    refetchInterval: run.finishedAt ? false : 4_000,
  });
  return (
    <Card flush>
      <Load query={query}>{(data) => <Bars nodes={data.graph?.nodes ?? []} />}</Load>
    </Card>
  );
}

function Bars({ nodes: all }: { nodes: GraphNode[] }) {
  const now = useNow();
  const [, setSearch] = useFilters();
  const begun = all
    .filter((node) => node.startedAt)
    .sort((a, b) => (a.startedAt as string).localeCompare(b.startedAt as string));
  if (begun.length === 0) return <Empty title="No node has started yet" />;
  const start = Date.parse(begun[0]?.startedAt as string);
  const endOf = (node: GraphNode) => (node.finishedAt ? Date.parse(node.finishedAt) : now);
  const whole = Math.max(1, Math.max(...begun.map(endOf)) - start);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <div className="scroll-thin max-h-[70vh] overflow-auto">
      <div className="sm:min-w-[40rem]">
        <div className="sticky top-0 z-10 grid h-8 grid-cols-[12rem_minmax(0,1fr)_4.5rem] max-sm:grid-cols-[7.5rem_minmax(0,1fr)_4rem] items-center border-b border-line bg-surface px-4 text-2xs text-ink-2">
          <span>Node</span>
          <span className="relative h-4">
            {ticks.map((tick) => (
              <span
                key={tick}
                className={`num absolute whitespace-nowrap ${tick % 0.5 ? "max-sm:hidden" : ""} -translate-x-1/2 first:translate-x-0 last:-translate-x-full`}
                style={{ left: `${tick * 100}%` }}
              >
                {whole < 600_000 ? `+${duration(tick * whole)}` : hourMinute(start + tick * whole)}
              </span>
            ))}
          </span>
          <span className="text-right">Took</span>
        </div>
        {begun.map((node) => {
          const from = (Date.parse(node.startedAt as string) - start) / whole;
          const took = endOf(node) - Date.parse(node.startedAt as string);
          return (
            <button
              key={node.name}
              type="button"
              onClick={() => setSearch({ tab: "graph", node: node.name })}
              title={`${lookOf(node.state).word}, ${duration(took)}`}
              className="grid h-7 w-full grid-cols-[12rem_minmax(0,1fr)_4.5rem] max-sm:grid-cols-[7.5rem_minmax(0,1fr)_4rem] items-center px-4 text-left hover:bg-sunken"
            >
              <span className={`truncate pr-3 ${node.critical ? "font-semibold" : ""}`}>
                {node.name}
              </span>
              <span className="relative h-4">
                <span
                  className={`absolute h-full min-w-1 rounded-sm ${lookOf(node.state).fill} ${node.critical ? "outline-2 outline-offset-1 outline-accent" : ""}`}
                  style={{ left: `${from * 100}%`, width: `${(took / whole) * 100}%` }}
                />
              </span>
              <span className="num text-right text-xs text-ink-2">{duration(took)}</span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
