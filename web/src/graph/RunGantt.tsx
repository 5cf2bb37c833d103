import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChartGantt } from "lucide-react";
import { useMemo, useRef } from "react";
import { nodes, timeline } from "@/api/queries";
import type { GraphNode, Run, Track } from "@/api/types";
import { plural } from "@/lib/format";
import { duration, utc } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { lookOf } from "@/ui/State";
import { TickLines, Ticks } from "@/ui/Ticks";
import { useNow } from "@/ui/Time";
import { barsOf, type Row, rowsOf } from "./bars";

/** When each node waited and ran, on one axis: the longest bars are where time went. */
export default function RunGantt({ run }: { run: Run }) {
  const everyMs = { refetchInterval: run.finishedAt ? (false as const) : 4_000 };
  const shape = useQuery({ ...nodes(run.executionId), ...everyMs });
  const times = useQuery({ ...timeline(run.executionId), ...everyMs });
  return (
    <Card flush>
      <Load query={shape}>
        {(data) => (
          <Load query={times}>
            {({ tracks }) => <Bars nodes={data.graph?.nodes ?? []} tracks={tracks} />}
          </Load>
        )}
      </Load>
    </Card>
  );
}

const ROW_PX = 28;
const TRACKS =
  "grid grid-cols-[12rem_minmax(0,1fr)_4.5rem] max-sm:grid-cols-[7.5rem_minmax(0,1fr)_4rem] items-center px-4";

function Bars({ nodes: all, tracks }: { nodes: GraphNode[]; tracks: Track[] }) {
  const now = useNow();
  const [, setSearch] = useFilters();
  const rows = useMemo(() => rowsOf(all, tracks), [all, tracks]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  if (rows.length === 0) {
    return (
      <Empty icon={ChartGantt} title="No node has started yet">
        Each gets a bar here when it does.
      </Empty>
    );
  }
  const start = Math.min(...rows.map((row) => row.start));
  const end = Math.max(...rows.map((row) => row.end ?? now));
  const whole = Math.max(1, end - start);
  return (
    <>
      <div ref={scroller} className="scroll-thin max-h-[70vh] overflow-auto">
        <div className="sm:min-w-[40rem]">
          <div
            className={`sticky top-0 z-10 h-8 border-b border-line bg-surface text-2xs text-ink-2 ${TRACKS}`}
          >
            <span>Node</span>
            <Ticks start={start} whole={whole} />
            <span className="text-right">Took</span>
          </div>
          <div className="relative" style={{ height: virtual.getTotalSize() }}>
            <div aria-hidden className={`absolute inset-0 ${TRACKS}`}>
              <span className="relative col-start-2 h-full">
                <TickLines whole={whole} />
              </span>
            </div>
            {virtual.getVirtualItems().map((item) => {
              const row = rows[item.index] as Row;
              return (
                <button
                  key={row.node.name}
                  type="button"
                  onClick={() => setSearch({ tab: "graph", node: row.node.name })}
                  title={titleOf(row, now)}
                  className={`absolute inset-x-0 text-left hover:bg-sunken ${TRACKS}`}
                  style={{ height: ROW_PX, top: item.start }}
                >
                  <Name
                    text={row.node.name}
                    className={`pr-3 ${row.node.critical ? "font-semibold" : ""}`}
                  />
                  <span className="relative h-4">
                    <Parts row={row} start={start} whole={whole} now={now} />
                  </span>
                  <span className="num text-right text-xs text-ink-2">
                    {duration((row.end ?? now) - row.ran)}
                  </span>
                </button>
              );
            })}
          </div>
        </div>
      </div>
      <Legend rows={rows} />
    </>
  );
}

/** Of a node with a bar: how it ended, how long it took, and what went before. */
function titleOf({ node, waitedMs, tries, end, ran, items }: Row, now: number): string {
  const said = [
    lookOf(node.state).word,
    duration((end ?? now) - ran),
    waitedMs >= 1 && `waited ${duration(waitedMs)}`,
    tries > 1 && plural(tries, "attempt"),
    items != null && plural(items, "item"),
  ];
  return `${said.filter(Boolean).join(", ")}\n${utc(ran)}`;
}

interface PartsProps {
  row: Row;
  start: number;
  whole: number;
  now: number;
}

function Parts({ row, start, whole, now }: PartsProps) {
  const share = (ms: number) => `${(ms / whole) * 100}%`;
  const frame = row.node.critical ? "outline-2 outline-offset-1 outline-accent" : "";
  return barsOf(row, now).map((bar) => (
    <span
      key={bar.from}
      className={
        bar.part === "queued"
          ? "absolute top-1.5 h-1 rounded-full bg-idle-fill"
          : `absolute h-full min-w-1 rounded-sm ${bar.part === "failed" ? "bg-bad-fill" : lookOf(row.node.state).fill} ${frame}`
      }
      style={{ left: share(bar.from - start), width: share(bar.until - bar.from) }}
    />
  ));
}

function Legend({ rows }: { rows: Row[] }) {
  const isPath = rows.some((row) => row.node.critical);
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 border-t border-line px-4 py-2 text-xs text-ink-2">
      {rows.some((row) => row.waitedMs > 0) && (
        <li className="flex items-center gap-2">
          <span className="h-1 w-5 rounded-full bg-idle-fill" />
          Waited
        </li>
      )}
      {rows.some((row) => row.tries > 1) && (
        <li className="flex items-center gap-2">
          <span className="h-3 w-5 rounded-sm bg-bad-fill" />
          An attempt that failed
        </li>
      )}
      {isPath && (
        <li className="flex items-center gap-2">
          <span className="mx-0.5 h-2.5 w-5 rounded-sm outline-2 outline-offset-1 outline-accent" />
          Critical path: what decided how long the whole took
        </li>
      )}
    </ul>
  );
}
