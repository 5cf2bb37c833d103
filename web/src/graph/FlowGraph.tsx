/** The picture of a graph: pan, zoom, states, critical path, closed groups. */
import {
  Background,
  Controls,
  type Edge,
  getViewportForBounds,
  Handle,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  useStoreApi,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { Boxes, Layers2 } from "lucide-react";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { count } from "@/lib/format";
import { lookOf } from "@/ui/State";
import { Duration } from "@/ui/Time";
import { collapse, type Drawn, GROUP, groupsOf, type Shape } from "./collapse";
import { extentOf, HEIGHT, layout, type Places, WIDTH } from "./layout";

type FlowNode = Node<{ drawn: Drawn; isChosen: boolean }, "drawn">;

interface Props {
  shape: Shape;
  criticalPath?: string[] | undefined;
  chosen?: string | undefined;
  onChoose?: ((name: string) => void) | undefined;
}

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
  const path = useMemo(() => pathEdges(criticalPath ?? []), [criticalPath]);
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
        minZoom={0.05}
        maxZoom={1.5}
        proOptions={{ hideAttribution: false }}
      >
        <Background gap={22} size={1} color="var(--line)" />
        <Controls showInteractive={false} />
        {drawn.nodes.length > 40 && (
          <MiniMap pannable zoomable className="max-md:!hidden" nodeColor={miniColour} />
        )}
        <Fit on={places} nodes={drawn.nodes} />
      </ReactFlow>
      {groups.length > 0 && (
        <div className="absolute top-3 left-3 flex max-w-[60%] flex-wrap gap-1.5">
          {groups.slice(0, 12).map((group) => (
            <button
              key={group}
              type="button"
              aria-pressed={closed.has(group)}
              onClick={() => toggle(group)}
              title={closed.has(group) ? "Open this group" : "Close this group"}
              className="flex h-7 items-center gap-1.5 rounded-full border border-line bg-surface px-2.5 text-xs aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              <Layers2 aria-hidden className="size-3.5" />
              {group}
            </button>
          ))}
        </div>
      )}
    </div>
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

/** A small graph whole; of a large one what needs eyes: where it failed, runs, or begins. */
function Fit({ on, nodes }: { on: Places | null; nodes: Drawn[] }) {
  const flow = useReactFlow();
  const store = useStoreApi();
  const latest = useRef(nodes);
  latest.current = nodes;
  useEffect(() => {
    if (!on) return;
    const isLarge = latest.current.length > CLOSE_ABOVE;
    const frame = requestAnimationFrame(() => {
      const { width, height } = store.getState();
      const bounds = boundsOf(isLarge ? worthSeeing(latest.current) : latest.current, on);
      const zoom = isLarge ? 0.5 : 0.05;
      void flow.setViewport(getViewportForBounds(bounds, width, height, zoom, 1, 0.06));
    });
    return () => cancelAnimationFrame(frame);
  }, [on, flow, store]);
  return null;
}

function worthSeeing(nodes: Drawn[]): Drawn[] {
  const loud = nodes.filter((node) => node.state === "failed");
  const busy = loud.length ? loud : nodes.filter((node) => node.state === "running");
  return (busy.length ? busy : nodes).slice(0, 6);
}

function boundsOf(nodes: Drawn[], places: Places) {
  const all = nodes.map((node) => places.get(node.name) ?? { x: 0, y: 0 });
  const x = Math.min(...all.map((place) => place.x));
  const y = Math.min(...all.map((place) => place.y));
  const right = Math.max(...all.map((place) => place.x)) + WIDTH;
  const bottom = Math.max(...all.map((place) => place.y)) + HEIGHT;
  return { x, y, width: right - x, height: bottom - y };
}

function pathEdges(path: string[]): Set<string> {
  return new Set(path.slice(1).map((name, index) => `${path[index]}\0${name}`));
}

function miniColour(node: Node): string {
  const state = (node.data as { drawn: Drawn }).drawn.state;
  const tokens: Record<string, string> = {
    success: "ok",
    failed: "bad",
    running: "run",
    queued: "warn",
    scheduled: "wait",
  };
  return `var(--${tokens[state ?? ""] ?? "idle"}-fill)`;
}

const FAR = 0.35;

/** From far away words are dust; the colour still tells. */
function FarNode({ fill }: { fill: string }) {
  return (
    <div style={{ width: WIDTH, height: HEIGHT }} className={`rounded-lg ${fill}`}>
      <Ends />
    </div>
  );
}

/** Where edges meet the node; React Flow looks for them in the page. */
function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} className="!opacity-0" />
      <Handle
        type="source"
        position={Position.Right}
        isConnectable={false}
        className="!opacity-0"
      />
    </>
  );
}

const DrawnNode = memo(function DrawnNode({ data }: NodeProps<FlowNode>) {
  const { drawn, isChosen } = data;
  const look = lookOf(drawn.state);
  const isFar = useStore((store) => store.transform[2] < FAR);
  if (isFar) return <FarNode fill={look.fill} />;
  const Icon = drawn.kind === "group" ? Boxes : look.icon;
  return (
    <div
      style={{ width: WIDTH, height: HEIGHT }}
      className={`flex cursor-pointer items-stretch overflow-hidden rounded-lg border bg-surface shadow-card ${isChosen ? "border-accent ring-2 ring-accent" : drawn.critical ? "border-accent" : "border-line-strong"} ${drawn.kind === "group" ? "border-dashed" : ""}`}
    >
      <Ends />
      <span className={`w-1 shrink-0 ${drawn.state ? look.fill : "bg-sunken"}`} />
      <span className="flex min-w-0 flex-1 flex-col justify-center px-2.5 text-left">
        <span className="truncate text-sm font-medium">
          {drawn.kind === "group" ? drawn.group : drawn.name}
        </span>
        <span className="flex items-center gap-1 text-2xs text-ink-2">
          <Icon
            aria-hidden
            className={`size-3 shrink-0 ${look.spins && drawn.kind !== "group" ? "spin" : ""}`}
          />
          <span className="truncate">
            <Under drawn={drawn} />
          </span>
        </span>
      </span>
    </div>
  );
});

function Under({ drawn }: { drawn: Drawn }) {
  if (drawn.inside) {
    const parts = Object.entries(drawn.counts ?? {}).map(([state, many]) => `${many} ${state}`);
    return `${drawn.inside.length} nodes: ${parts.join(", ")}`;
  }
  if (drawn.map && "total" in drawn.map) {
    const failed = drawn.map.failed ? `, ${drawn.map.failed} failed` : "";
    return `${drawn.map.done} of ${drawn.map.total} items${failed}`;
  }
  if (!drawn.state) return drawn.job ?? drawn.kind;
  return (
    <>
      {drawn.cached ? "Cached" : lookOf(drawn.state).word}
      {drawn.startedAt && (
        <>
          {" · "}
          <Duration from={drawn.startedAt} until={drawn.finishedAt} ms={drawn.durationMs} />
        </>
      )}
    </>
  );
}

const NODE_TYPES = { drawn: DrawnNode };
