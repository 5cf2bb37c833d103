/** The edges of a large graph as two lines in all: an element for each would cost more than the rest. */
import { useStore, ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import type { GraphEdge } from "@/api/types";
import { HEIGHT, type Places, WIDTH } from "./layout";

interface Props {
  edges: GraphEdge[];
  places: Places;
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

export function ManyEdges({ edges, places, critical }: Props) {
  const sight = useSight();
  const [plain, marked] = useMemo(
    () => linesOf(edges, places, critical, sight),
    [edges, places, critical, sight],
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
): [string, string] {
  const plain: string[] = [];
  const marked: string[] = [];
  for (const { from, to } of edges) {
    const before = places.get(from);
    const after = places.get(to);
    if (!before || !after) continue;
    const x = before.x + WIDTH;
    const y = before.y + HEIGHT / 2;
    const dx = after.x - x;
    const dy = after.y - before.y;
    const isOut =
      Math.max(x, x + dx) < sight.left ||
      Math.min(x, x + dx) > sight.right ||
      Math.max(y, y + dy) < sight.top ||
      Math.min(y, y + dy) > sight.bottom;
    if (isOut) continue;
    const bend = Math.max(dx / 2, 20);
    const line = `M${x} ${y}c${bend} 0 ${dx - bend} ${dy} ${dx} ${dy}`;
    (critical.has(`${from}\0${to}`) ? marked : plain).push(line);
  }
  return [plain.join(""), marked.join("")];
}
