import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChartGantt, ChevronDown, ChevronRight, ZoomIn, ZoomOut } from "lucide-react";
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { nodes, timeline } from "@/api/queries";
import type { GraphNode, Run, Track } from "@/api/types";
import { plural } from "@/lib/format";
import { duration, utc } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Button, IconButton } from "@/ui/Button";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { lookOf } from "@/ui/State";
import { TickLines, Ticks } from "@/ui/Ticks";
import { useNow } from "@/ui/Time";
import { barsOf, type Row, rowsOf } from "./bars";
import { groupsOf } from "./collapse";
import { type Line, linesOf } from "./ganttLines";

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
const MOST_ZOOM = 32;
/** With more nodes groups begin folded. */
const FOLD_ABOVE = 60;

function Bars({ nodes: all, tracks }: { nodes: GraphNode[]; tracks: Track[] }) {
  const now = useNow();
  const rows = useMemo(() => rowsOf(all, tracks), [all, tracks]);
  const groups = useMemo(() => groupsOf({ nodes: all, edges: [] }), [all]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(
    () => new Set(all.length > FOLD_ABOVE ? groups : []),
  );
  const [zoom, setZoom] = useState(1);
  if (rows.length === 0) {
    return (
      <Empty icon={ChartGantt} title="No node has started yet">
        Each gets a bar here when it does.
      </Empty>
    );
  }
  const start = Math.min(...rows.map((row) => row.start));
  const end = Math.max(...rows.map((row) => row.end ?? now));
  const toggle = (group: string) => {
    const next = new Set(folded);
    if (!next.delete(group)) next.add(group);
    setFolded(next);
  };
  return (
    <>
      <Tools zoom={zoom} onZoom={setZoom} groups={groups} folded={folded} onFolded={setFolded} />
      <Chart
        lines={linesOf(rows, folded)}
        axis={{ start, whole: Math.max(1, end - start), now, zoom }}
        folded={folded}
        onToggle={toggle}
      />
      <Legend rows={rows} />
    </>
  );
}

interface ToolsProps {
  zoom: number;
  onZoom: (zoom: number) => void;
  groups: string[];
  folded: ReadonlySet<string>;
  onFolded: (folded: ReadonlySet<string>) => void;
}

function Tools({ zoom, onZoom, groups, folded, onFolded }: ToolsProps) {
  const hasOpen = groups.some((each) => !folded.has(each));
  return (
    <div className="flex flex-wrap items-center gap-1 border-b border-line px-4 py-1.5">
      <IconButton label="Zoom out" disabled={zoom <= 1} onClick={() => onZoom(zoom / 2)}>
        <ZoomOut className="size-4" />
      </IconButton>
      <IconButton label="Zoom in" disabled={zoom >= MOST_ZOOM} onClick={() => onZoom(zoom * 2)}>
        <ZoomIn className="size-4" />
      </IconButton>
      <span className="num px-1 text-xs text-ink-2" role="status">
        {plural(zoom, "time")}
      </span>
      {groups.length > 0 && (
        <Button tone="quiet" onClick={() => onFolded(new Set(hasOpen ? groups : []))}>
          {hasOpen ? "Fold all" : "Unfold all"}
        </Button>
      )}
    </div>
  );
}

interface Axis {
  start: number;
  whole: number;
  now: number;
  zoom: number;
}

interface ChartProps {
  lines: Line[];
  axis: Axis;
  folded: ReadonlySet<string>;
  onToggle: (group: string) => void;
}

/** The names stay at the left while the bars are moved. */
function Chart({ lines, axis, folded, onToggle }: ChartProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const { start, whole, zoom } = axis;
  useMiddle(scroller, zoom);
  return (
    <div ref={scroller} className="scroll-thin max-h-[70vh] overflow-auto">
      <div className="sm:min-w-[40rem]" style={{ width: `${zoom * 100}%` }}>
        <div
          className={`sticky top-0 z-10 h-8 border-b border-line bg-surface text-2xs text-ink-2 ${TRACKS}`}
        >
          <span className="sticky left-0 z-10 bg-surface">Node</span>
          <Ticks start={start} whole={whole} times={zoom} />
          <span className="text-right">Took</span>
        </div>
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          <div aria-hidden className={`absolute inset-0 ${TRACKS}`}>
            <span className="relative col-start-2 h-full">
              <TickLines whole={whole} times={zoom} />
            </span>
          </div>
          {virtual.getVirtualItems().map((item) => {
            const line = lines[item.index] as Line;
            return (
              <Drawn
                key={line.key}
                line={line}
                axis={axis}
                top={item.start}
                isFolded={line.group !== undefined && folded.has(line.group)}
                onToggle={onToggle}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** What is in the middle stays there when it becomes larger or smaller. */
function useMiddle(scroller: RefObject<HTMLDivElement | null>, zoom: number): void {
  const before = useRef(zoom);
  useLayoutEffect(() => {
    const frame = scroller.current;
    const times = zoom / before.current;
    before.current = zoom;
    if (!frame || times === 1) return;
    const half = frame.clientWidth / 2;
    frame.scrollLeft = (frame.scrollLeft + half) * times - half;
  }, [scroller, zoom]);
}

interface DrawnProps {
  line: Line;
  axis: Axis;
  top: number;
  isFolded: boolean;
  onToggle: (group: string) => void;
}

function Drawn({ line, axis, top, isFolded, onToggle }: DrawnProps) {
  const [, setSearch] = useFilters();
  const { row, group, isInside } = line;
  const open = () => (group ? onToggle(group) : setSearch({ tab: "graph", node: line.key }));
  const Chevron = isFolded ? ChevronRight : ChevronDown;
  return (
    <button
      type="button"
      onClick={open}
      aria-expanded={group ? !isFolded : undefined}
      title={row ? titleOf(row, axis.now) : groupTitle(line, axis.now)}
      className={`absolute inset-x-0 text-left hover:bg-sunken ${TRACKS}`}
      style={{ height: ROW_PX, top }}
    >
      <span
        className={`sticky left-0 z-10 flex min-w-0 items-center gap-1 bg-surface pr-3 ${isInside ? "pl-5" : ""} ${group || row?.node.critical ? "font-semibold" : ""}`}
      >
        {group && <Chevron aria-hidden className="-ml-1 size-4 shrink-0" />}
        <Name text={group ?? line.key} className="min-w-0" />
        {group && <span className="text-xs font-normal text-ink-3">{line.members.length}</span>}
      </span>
      <span className="relative h-4">
        {row ? <Parts row={row} axis={axis} /> : <Whole line={line} axis={axis} />}
      </span>
      <span className="num text-right text-xs text-ink-2">
        {duration((line.end ?? axis.now) - (row?.ran ?? line.start))}
      </span>
    </button>
  );
}

/** A group from its first beginning to its last end; what failed in it is marked where it ended. */
function Whole({ line, axis: { start, whole, now } }: { line: Line; axis: Axis }) {
  const share = (ms: number) => `${(ms / whole) * 100}%`;
  const failed = line.members.filter(({ node }) => node.state === "failed");
  return (
    <>
      <span
        className={`absolute top-1 h-2 min-w-1 rounded-sm ${failed.length ? "bg-idle-fill" : lookOf(line.state).fill}`}
        style={{ left: share(line.start - start), width: share((line.end ?? now) - line.start) }}
      />
      {failed.map(({ node, ran, end }) => (
        <span
          key={node.name}
          className="absolute top-1 h-2 min-w-1 rounded-sm bg-bad-fill"
          style={{ left: share(ran - start), width: share((end ?? now) - ran) }}
        />
      ))}
    </>
  );
}

function groupTitle({ members, start, end }: Line, now: number): string {
  const failed = members.filter(({ node }) => node.state === "failed").length;
  const said = [plural(members.length, "node"), duration((end ?? now) - start)];
  return [...said, failed > 0 && `${failed} failed`].filter(Boolean).join(", ");
}

/** Of a node with a bar: how it ended, how long it took, and what went before. */
function titleOf({ node, waitedMs, tries, end, ran, items }: Row, now: number): string {
  const said = [
    lookOf(node.state).word,
    duration((end ?? now) - ran),
    waitedMs >= 1 && `waited ${duration(waitedMs)}`,
    tries > 1 && plural(tries, "attempt"),
    items != null && plural(items, "item"),
    node.map && "failed" in node.map && node.map.failed > 0 && `${node.map.failed} failed`,
  ];
  return `${said.filter(Boolean).join(", ")}\n${utc(ran)}`;
}

function Parts({ row, axis: { start, whole, now } }: { row: Row; axis: Axis }) {
  const share = (ms: number) => `${(ms / whole) * 100}%`;
  const frame = row.node.critical ? "outline-2 outline-offset-1 outline-accent" : "";
  const bad = badShare(row);
  return barsOf(row, now).map((bar) => (
    <span
      key={bar.from}
      className={
        bar.part === "queued"
          ? "absolute top-1.5 h-1 rounded-full bg-idle-fill"
          : `absolute h-full min-w-1 overflow-hidden rounded-sm ${bar.part === "failed" ? "bg-bad-fill" : bad === null ? lookOf(row.node.state).fill : "bg-ok-fill"} ${frame}`
      }
      style={{ left: share(bar.from - start), width: share(bar.until - bar.from) }}
    >
      {bad !== null && bar.part !== "queued" && (
        <span
          className="absolute inset-y-0 right-0 min-w-1 bg-bad-fill"
          style={{ width: `${bad * 100}%` }}
        />
      )}
    </span>
  ));
}

/** Of a map of which only some items failed: which part of them. */
export function badShare({ node: { map } }: Pick<Row, "node">): number | null {
  if (!map || !("total" in map) || map.total === 0) return null;
  return map.failed > 0 && map.failed < map.total ? map.failed / map.total : null;
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
