/** The picture of a graph: pan, zoom, states, critical path, closed groups. */
import {
  Background,
  Controls,
  type Edge,
  getViewportForBounds,
  MiniMap,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStoreApi,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo, useRef, useState } from "react";
import { count } from "@/lib/format";
import { lookOf } from "@/ui/State";
import { collapse, type Drawn, GROUP, groupsOf, type Shape } from "./collapse";
import { FAR, type FlowNode, miniColour, NODE_TYPES } from "./DrawnNode";
import { Groups } from "./Groups";
import { extentOf, HEIGHT, layout, type Places, WIDTH } from "./layout";

interface Props {
  shape: Shape;
  criticalPath?: string[] | undefined;
  chosen?: string | undefined;
  onChoose?: ((name: string) => void) | undefined;
}

/** The wheel alone scrolls the page, as everywhere; with one of these it zooms. */
const ZOOM_KEYS = ["Control", "Meta"];
const CLOSE_ABOVE = 150;
const LABEL = {
  labelStyle: { fill: "var(--ink-2)", fontSize: 11 },
  labelBgStyle: { fill: "var(--surface)", stroke: "var(--line)" },
  labelBgPadding: [6, 3] as [number, number],
  labelBgBorderRadius: 4,
};

export function FlowGraph(props: Props) {
  return (
    <ReactFlowProvider>
      <Picture {...props} />
    </ReactFlowProvider>
  );
}

function Picture({ shape, criticalPath, chosen, onChoose }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupsOf(shape), [shape]);
  const [closed, setClosed] = useState<Set<string>>(
    () => new Set(shape.nodes.length > CLOSE_ABOVE ? groups : []),
  );
  const drawn = useMemo(() => collapse(shape, closed), [shape, closed]);
  const places = usePlaces(drawn);
  const path = useMemo(() => pathEdges(criticalPath ?? [], drawn.nodes), [criticalPath, drawn]);
  const nodes = useMemo(
    (): FlowNode[] =>
      places
        ? drawn.nodes.map((each) => ({
            id: each.name,
            type: "drawn",
            position: places.get(each.name) ?? { x: 0, y: 0 },
            width: WIDTH,
            height: HEIGHT,
            data: { drawn: each, isChosen: each.name === chosen },
            ariaLabel: `${each.name}, ${lookOf(each.state).word}`,
          }))
        : [],
    [drawn, places, chosen],
  );
  const edges = useMemo(
    (): Edge[] =>
      drawn.edges.map((edge) => {
        const isCritical = path.has(`${edge.from}\0${edge.to}`);
        return {
          id: `${edge.from}\0${edge.to}`,
          source: edge.from,
          target: edge.to,
          ...(edge.when && { label: "if", ...LABEL }),
          style: isCritical ? { stroke: "var(--accent)", strokeWidth: 2.5 } : { strokeWidth: 1.25 },
          focusable: false,
        };
      }),
    [drawn, path],
  );
  const toggle = (group: string) => {
    const next = new Set(closed);
    if (!next.delete(group)) next.add(group);
    setClosed(next);
  };
  return (
    <>
      <Groups groups={groups} closed={closed} onClosed={setClosed} />
      <div
        ref={frame}
        className="relative"
        style={{ height: heightFor(places, frame.current?.clientWidth) }}
      >
        {!places && (
          <p role="status" className="absolute inset-0 grid place-items-center text-ink-2">
            Arranging {count(drawn.nodes.length)} nodes
          </p>
        )}
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          onNodeClick={(_, node) =>
            node.id.startsWith(GROUP) ? toggle(node.id.slice(GROUP.length)) : onChoose?.(node.id)
          }
          nodesDraggable={false}
          nodesConnectable={false}
          edgesFocusable={false}
          onlyRenderVisibleElements={drawn.nodes.length > CLOSE_ABOVE}
          preventScrolling={false}
          zoomOnScroll={false}
          zoomActivationKeyCode={ZOOM_KEYS}
          minZoom={0.05}
          maxZoom={1.5}
          proOptions={{ hideAttribution: false }}
        >
          <Background gap={22} size={1} color="var(--line)" />
          <Controls showInteractive={false} />
          <Panel position="bottom-center" className="!mb-2 text-2xs text-ink-2 max-md:hidden">
            Drag to move, Ctrl and wheel to zoom
          </Panel>
          {drawn.nodes.length > 12 && (
            <MiniMap pannable zoomable className="max-md:!hidden" nodeColor={miniColour} />
          )}
          <Fit on={places} nodes={drawn.nodes} />
        </ReactFlow>
      </div>
    </>
  );
}

/** Places change only with the shape, not with states: nothing jumps while a run goes on. */
function usePlaces(drawn: {
  nodes: Drawn[];
  edges: { from: string; to: string }[];
}): Places | null {
  const names = drawn.nodes.map((node) => node.name);
  const shape = `${names.join("\0")}\x01${drawn.edges.map((edge) => `${edge.from}\0${edge.to}`).join("\x01")}`;
  const [places, setPlaces] = useState<{ shape: string; places: Places } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text says whether the shape changed
  useEffect(() => {
    let isOld = false;
    void layout(names, drawn.edges).then((found) => {
      if (!isOld) setPlaces({ shape, places: found });
    });
    return () => {
      isOld = true;
    };
  }, [shape]);
  return places?.places ?? null;
}

/** As tall as the picture needs at the zoom that shows its whole width, within reason. */
function heightFor(places: Places | null, width = 900): number {
  if (!places) return 360;
  const extent = extentOf(places);
  const zoom = Math.max(0.55, Math.min(1, width / (extent.width * 1.15)));
  return Math.max(320, Math.min(window.innerHeight * 0.72, extent.height * zoom + 130));
}

const NEAR = 0.55;
const EDGE = 32;

/** A graph whole if its words can be read then; else what needs eyes: where it failed, runs, or begins. */
function Fit({ on, nodes }: { on: Places | null; nodes: Drawn[] }) {
  const flow = useReactFlow();
  const store = useStoreApi();
  const latest = useRef(nodes);
  latest.current = nodes;
  useEffect(() => {
    if (!on) return;
    const frame = requestAnimationFrame(() => {
      const { width, height } = store.getState();
      const whole = getViewportForBounds(
        boundsOf(latest.current, on),
        width,
        height,
        0.05,
        1,
        0.06,
      );
      void flow.setViewport(whole.zoom < FAR ? nearView(latest.current, on, width, height) : whole);
    });
    return () => cancelAnimationFrame(frame);
  }, [on, flow, store]);
  return null;
}

/** What failed or runs in the middle; if nothing does, the beginning at the left. */
function nearView(nodes: Drawn[], places: Places, width: number, height: number) {
  const loud = nodes.filter((node) => node.state === "failed");
  const busy = loud.length ? loud : nodes.filter((node) => node.state === "running");
  const bounds = boundsOf((busy.length ? busy : nodes).slice(0, 6), places);
  const view = getViewportForBounds(bounds, width, height, NEAR, 1, 0.06);
  return busy.length ? view : { ...view, x: EDGE - bounds.x * view.zoom };
}

function boundsOf(nodes: Drawn[], places: Places) {
  const all = nodes.map((node) => places.get(node.name) ?? { x: 0, y: 0 });
  const x = Math.min(...all.map((place) => place.x));
  const y = Math.min(...all.map((place) => place.y));
  const right = Math.max(...all.map((place) => place.x)) + WIDTH;
  const bottom = Math.max(...all.map((place) => place.y)) + HEIGHT;
  return { x, y, width: right - x, height: bottom - y };
}

/** Pairs of neighbours on the path; a closed group stands for what is inside. */
function pathEdges(path: string[], nodes: Drawn[]): Set<string> {
  const groups = nodes.flatMap((node) =>
    (node.inside ?? []).map((name) => [name, node.name] as const),
  );
  const standIn = new Map(groups);
  const way = path.map((name) => standIn.get(name) ?? name);
  return new Set(way.slice(1).map((name, index) => `${way[index]}\0${name}`));
}
