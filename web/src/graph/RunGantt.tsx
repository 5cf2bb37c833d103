import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { nodes } from "@/api/queries";
import type { GraphNode, Run } from "@/api/types";
import { duration, hourMinute } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Name } from "@/ui/Name";
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
  const step = stepOf(whole);
  const ticks = Array.from({ length: Math.floor(whole / step) + 1 }, (_, index) => index * step);
  return (
    <>
      <div ref={scroller} className="scroll-thin max-h-[70vh] overflow-auto">
        <div className="sm:min-w-[40rem]">
          <div
            className={`sticky top-0 z-10 h-8 border-b border-line bg-surface text-2xs text-ink-2 ${TRACKS}`}
          >
            <span>Node</span>
            <span className="relative h-4">
              {ticks.map((tick, index) => (
                <span
                  key={tick}
                  className={`num absolute whitespace-nowrap ${index % 2 ? "max-sm:hidden" : ""} ${tick / whole > 0.94 ? "-translate-x-full" : "-translate-x-1/2 first:translate-x-0"}`}
                  style={{ left: `${(tick / whole) * 100}%` }}
                >
                  {labelOf(tick, start, whole)}
                </span>
              ))}
            </span>
            <span className="text-right">Took</span>
          </div>
          <div className="relative" style={{ height: virtual.getTotalSize() }}>
            <div aria-hidden className={`absolute inset-0 ${TRACKS}`}>
              <span className="relative col-start-2 h-full">
                {ticks.map((tick) => (
                  <span
                    key={tick}
                    className="absolute h-full border-l border-line"
                    style={{ left: `${(tick / whole) * 100}%` }}
                  />
                ))}
              </span>
            </div>
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
                  <Name
                    text={node.name}
                    className={`pr-3 ${node.critical ? "font-semibold" : ""}`}
                  />
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
      {begun.some((node) => node.critical) && (
        <p className="flex items-center gap-2 border-t border-line px-4 py-2 text-xs text-ink-2">
          <span className="mx-0.5 h-2.5 w-5 rounded-sm outline-2 outline-offset-1 outline-accent" />
          Critical path: what decided how long the whole took
        </p>
      )}
    </>
  );
}

const MOST_TICKS = 6;
const ROUND = [1, 2, 5, 10, 20, 30].flatMap((each) => [each * 1_000, each * 60_000]);
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...ROUND,
  ...[1, 2, 3, 6, 12, 24, 48].map((hours) => hours * 3_600_000),
].sort((a, b) => a - b);

/** Between two marks of the axis: round, and not too many of them. */
export function stepOf(wholeMs: number): number {
  return STEPS.find((step) => wholeMs / step <= MOST_TICKS) ?? wholeMs / MOST_TICKS;
}

const LONG_MS = 600_000;

function labelOf(tick: number, start: number, whole: number): string {
  if (whole >= LONG_MS) return hourMinute(start + tick);
  if (tick === 0) return "0";
  return `+${tick < 60_000 && tick % 1_000 === 0 ? `${tick / 1_000} s` : duration(tick)}`;
}

function inTime(nodes: GraphNode[]): GraphNode[] {
  return nodes
    .filter((node) => node.startedAt)
    .sort((a, b) => (a.startedAt as string).localeCompare(b.startedAt as string));
}
