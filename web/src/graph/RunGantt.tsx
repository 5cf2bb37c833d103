import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
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

const ROW_PX = 28;
const TRACKS =
  "grid grid-cols-[12rem_minmax(0,1fr)_4.5rem] max-sm:grid-cols-[7.5rem_minmax(0,1fr)_4rem] items-center px-4";

function Bars({ nodes: all }: { nodes: GraphNode[] }) {
  const now = useNow();
  const [, setSearch] = useFilters();
  const begun = useMemo(() => inTime(all), [all]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: begun.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  if (begun.length === 0) return <Empty title="No node has started yet" />;
  const start = Date.parse(begun[0]?.startedAt as string);
  const endOf = (node: GraphNode) => (node.finishedAt ? Date.parse(node.finishedAt) : now);
  const whole = Math.max(1, Math.max(...begun.map(endOf)) - start);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <div ref={scroller} className="scroll-thin max-h-[70vh] overflow-auto">
      <div className="sm:min-w-[40rem]">
        <div
          className={`sticky top-0 z-10 h-8 border-b border-line bg-surface text-2xs text-ink-2 ${TRACKS}`}
        >
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
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const node = begun[item.index] as GraphNode;
            const from = (Date.parse(node.startedAt as string) - start) / whole;
            const took = endOf(node) - Date.parse(node.startedAt as string);
            return (
              <button
                key={node.name}
                type="button"
                onClick={() => setSearch({ tab: "graph", node: node.name })}
                title={`${lookOf(node.state).word}, ${duration(took)}`}
                className={`absolute inset-x-0 text-left hover:bg-sunken ${TRACKS}`}
                style={{ height: ROW_PX, top: item.start }}
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
    </div>
  );
}

function inTime(nodes: GraphNode[]): GraphNode[] {
  return nodes
    .filter((node) => node.startedAt)
    .sort((a, b) => (a.startedAt as string).localeCompare(b.startedAt as string));
}
