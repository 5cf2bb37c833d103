/** The edges of a large graph as two lines in all: an element for each would cost more than the rest. */
import { useStore, ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import type { GraphEdge } from "@/api/types";
import { type Arranged, HEIGHT, type Places, WIDTH } from "./layout";
import { type Bends, edgeId, NO_BENDS, type Point, pathThrough } from "./route";

interface Props {
  edges: GraphEdge[];
  arranged: Arranged;
  critical: ReadonlySet<string>;
}

export interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What is drawn reaches this far beyond the frame, so that a small move draws nothing anew. */
const STEP = 600;

export function ManyEdges({ edges, arranged, critical }: Props) {
  const sight = useSight();
  const [plain, marked] = useMemo(
    () => linesOf(edges, arranged.places, critical, sight, arranged.bends),
    [edges, arranged, critical, sight],
  );
  return (
    <ViewportPortal>
      <svg
        aria-hidden
        width={1}
        height={1}
        fill="none"
        className="pointer-events-none absolute -z-1 overflow-visible"
      >
        <path d={plain} stroke="var(--xy-edge-stroke)" strokeWidth={1.25} />
        <path d={marked} stroke="var(--accent)" strokeWidth={2.5} />
      </svg>
    </ViewportPortal>
  );
}

/** The part of the graph in the frame, in steps. */
function useSight(): Rect {
  const key = useStore(({ transform: [x, y, zoom], width, height }) => {
    const step = STEP / Math.min(1, zoom);
    const edge = (at: number, round: (value: number) => number) => round(at / step) * step;
    return [
      edge(-x / zoom - step / 2, Math.floor),
      edge(-y / zoom - step / 2, Math.floor),
      edge((width - x) / zoom + step / 2, Math.ceil),
      edge((height - y) / zoom + step / 2, Math.ceil),
    ].join(" ");
  });
  return useMemo(() => {
    const [left = 0, top = 0, right = 0, bottom = 0] = key.split(" ").map(Number);
    return { left, top, right, bottom };
  }, [key]);
}

/** The edges that cross the sight: those on no critical path, and those on one. */
export function linesOf(
  edges: GraphEdge[],
  places: Places,
  critical: ReadonlySet<string>,
  sight: Rect,
  bends: Bends = NO_BENDS,
): [string, string] {
  const plain: string[] = [];
  const marked: string[] = [];
  for (const edge of edges) {
    const before = places.get(edge.from);
    const after = places.get(edge.to);
    if (!before || !after) continue;
    const id = edgeId(edge);
    const start = { x: before.x + WIDTH, y: before.y + HEIGHT / 2 };
    const end = { x: after.x, y: after.y + HEIGHT / 2 };
    const between = bends.get(id) ?? [];
    if (!isInSight([start, ...between, end], sight)) continue;
    const line = between.length ? pathThrough(start, between, end, WIDTH) : direct(start, end);
    (critical.has(id) ? marked : plain).push(line);
  }
  return [plain.join(""), marked.join("")];
}

function direct({ x, y }: Point, end: Point): string {
  const dx = end.x - x;
  const dy = end.y - y;
  const bend = Math.max(dx / 2, 20);
  return `M${x} ${y}c${bend} 0 ${dx - bend} ${dy} ${dx} ${dy}`;
}

function isInSight(points: Point[], sight: Rect): boolean {
  const isBefore = (axis: "x" | "y", from: number) => points.every((point) => point[axis] < from);
  const isBeyond = (axis: "x" | "y", to: number) => points.every((point) => point[axis] > to);
  return !(
    isBefore("x", sight.left) ||
    isBeyond("x", sight.right) ||
    isBefore("y", sight.top) ||
    isBeyond("y", sight.bottom)
  );
}
