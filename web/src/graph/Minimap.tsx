/** The whole graph in a corner, and which part of it is in sight: a shape for each colour, however many nodes. */
import { Panel, useReactFlow, useStore } from "@xyflow/react";
import { type PointerEvent, useMemo } from "react";
import type { Drawn } from "./collapse";
import { extentOf, HEIGHT, type Places, WIDTH } from "./layout";

const ACROSS = 200;
const DOWN = 150;
const MARGIN = 60;

const TOKENS: Record<string, string> = {
  success: "ok",
  failed: "bad",
  running: "run",
  queued: "warn",
  scheduled: "wait",
};

/** The outlines of all nodes of a colour as one path. */
export function shapesByColour(nodes: Drawn[], places: Places): Map<string, string> {
  const found = new Map<string, string[]>();
  for (const node of nodes) {
    const place = places.get(node.name);
    if (!place) continue;
    const colour = TOKENS[node.state ?? ""] ?? "idle";
    const outlines = found.get(colour) ?? [];
    outlines.push(`M${Math.round(place.x)} ${Math.round(place.y)}h${WIDTH}v${HEIGHT}h-${WIDTH}z`);
    found.set(colour, outlines);
  }
  return new Map([...found].map(([colour, outlines]) => [colour, outlines.join("")]));
}

interface Props {
  nodes: Drawn[];
  places: Places;
}

/** Where all of it is in sight it would tell nothing, and lie upon nodes. */
export function Minimap(props: Props) {
  const extent = useMemo(() => extentOf(props.places), [props.places]);
  const isWhole = useStore(({ transform: [x, y, zoom], width, height }) =>
    [x, y, width - x - extent.width * zoom, height - y - extent.height * zoom].every(
      (room) => room >= 0,
    ),
  );
  return isWhole ? null : <Small {...props} />;
}

function Small({ nodes, places }: Props) {
  const flow = useReactFlow();
  const box = useMemo(() => boxOf(places), [places]);
  const shapes = useMemo(() => shapesByColour(nodes, places), [nodes, places]);
  const look = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons !== 1) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = event.currentTarget.getBoundingClientRect();
    const scale = Math.max(box.width / at.width, box.height / at.height);
    const x = box.x + box.width / 2 + (event.clientX - at.left - at.width / 2) * scale;
    const y = box.y + box.height / 2 + (event.clientY - at.top - at.height / 2) * scale;
    void flow.setCenter(x, y, { zoom: flow.getZoom() });
  };
  return (
    <Panel position="bottom-right" className="max-md:!hidden">
      <svg
        role="img"
        aria-label="The whole graph in small; the frame shows which part is in sight"
        width={ACROSS}
        height={DOWN}
        viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
        onPointerDown={look}
        onPointerMove={look}
        className="cursor-pointer touch-none rounded-md border border-line bg-surface"
      >
        {[...shapes].map(([colour, outlines]) => (
          <path key={colour} d={outlines} fill={`var(--${colour}-fill)`} />
        ))}
        <Sight />
      </svg>
    </Panel>
  );
}

/** Follows every move, so it stands alone: the shapes behind it stay as they are. */
function Sight() {
  const [x, y, zoom] = useStore((store) => store.transform);
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  return (
    <rect
      x={-x / zoom}
      y={-y / zoom}
      width={width / zoom}
      height={height / zoom}
      fill="var(--accent)"
      fillOpacity={0.08}
      stroke="var(--accent)"
      strokeWidth={1.5}
      vectorEffect="non-scaling-stroke"
    />
  );
}

function boxOf(places: Places) {
  const extent = extentOf(places);
  const width = extent.width + 2 * MARGIN;
  const height = extent.height + 2 * MARGIN;
  return { x: -MARGIN, y: -MARGIN, width, height };
}
