/** The picture of a graph: pan, zoom, states, critical path, closed groups. */
import {
  Background,
  Controls,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStoreApi,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { count } from "@/lib/format";
import { collapse, type Drawn, type DrawnShape, GROUP, groupsOf, type Shape } from "./collapse";
import { ENDS, type FlowNode, NODE_TYPES } from "./DrawnNode";
import { FindNode } from "./FindNode";
import { Groups } from "./Groups";
import { Keys } from "./Keys";
import { type Arranged, HEIGHT, layout, type Places, WIDTH } from "./layout";
import { ManyEdges } from "./ManyEdges";
import { Minimap } from "./Minimap";
import { entrance } from "./neighbours";
import { EDGE_TYPES, type RoutedEdge } from "./RoutedEdge";
import { edgeId } from "./route";
import { heightFor, isInSight, MIDDLE, NEAR, viewOf } from "./view";

interface Props {
  shape: Shape;
  criticalPath?: string[] | undefined;
  chosen?: string | undefined;
  onChoose?: ((name: string) => void) | undefined;
  /** Stands beside the groups. */
  lead?: ReactNode;
  /** It may have all of the window. */
  isFull?: boolean;
}

/** The wheel alone scrolls the page, as everywhere; with one of these it zooms. */
const ZOOM_KEYS = ["Control", "Meta"];
const CLOSE_ABOVE = 150;
const MAPPED = 12;
const LABEL = {
  labelStyle: { fill: "var(--ink-2)", fontSize: 11 },
  labelBgStyle: { fill: "var(--surface)", stroke: "var(--line)" },
  labelBgPadding: [6, 3] as [number, number],
  labelBgBorderRadius: 4,
};
const PLAIN = { strokeWidth: 1.25 };
const CRITICAL = { stroke: "var(--accent)", strokeWidth: 2.5 };

export function FlowGraph({ shape, criticalPath, chosen, onChoose, lead, isFull }: Props) {
  const groups = useMemo(() => groupsOf(shape), [shape]);
  const [closed, setClosed] = useState<Set<string>>(
    () => new Set(shape.nodes.length > CLOSE_ABOVE ? groups : []),
  );
  useUnfolded(shape, chosen, setClosed);
  const drawn = useMemo(() => collapse(shape, closed), [shape, closed]);
  const arranged = useArranged(drawn);
  const places = arranged?.places;
  const [frame, width] = useWidth();
  const choose = (name: string) => {
    if (!name.startsWith(GROUP)) return onChoose?.(name);
    const next = new Set(closed);
    next.delete(name.slice(GROUP.length));
    setClosed(next);
  };
  const most = innerHeight * (isFull ? 0.84 : 0.72);
  const needed = places ? heightFor(places, width, most) : 360;
  const size = { width, height: isFull ? most : needed };
  return (
    <>
      <div className="flex flex-wrap border-b border-line bg-surface empty:hidden">
        {lead}
        {shape.nodes.length > MAPPED && <FindNode nodes={shape.nodes} onFind={choose} />}
        <Groups groups={groups} closed={closed} onClosed={setClosed} />
      </div>
      <div ref={frame} className="relative" style={{ height: size.height }}>
        {arranged && width > 0 ? (
          <ReactFlowProvider initialWidth={width} initialHeight={size.height}>
            <Picture
              drawn={drawn}
              arranged={arranged}
              size={size}
              criticalPath={criticalPath}
              chosen={chosen}
              onChoose={choose}
            />
          </ReactFlowProvider>
        ) : (
          <p role="status" className="absolute inset-0 grid place-items-center text-ink-2">
            Arranging {count(drawn.nodes.length)} nodes
          </p>
        )}
      </div>
    </>
  );
}

/** A node that is chosen elsewhere is in sight only if its group is open; who folds it again may. */
function useUnfolded(
  shape: Shape,
  chosen: string | undefined,
  setClosed: (change: (closed: Set<string>) => Set<string>) => void,
): void {
  const group = shape.nodes.find(({ name }) => name === chosen)?.group;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another node of the same group opens it as well
  useEffect(() => {
    if (!group) return;
    setClosed((closed) =>
      closed.has(group) ? new Set([...closed].filter((each) => each !== group)) : closed,
    );
  }, [chosen, group]);
}

interface PictureProps extends Omit<Props, "shape" | "lead"> {
  drawn: DrawnShape;
  arranged: Arranged;
  size: { width: number; height: number };
}

function Picture({ drawn, arranged, size, criticalPath, chosen, onChoose }: PictureProps) {
  const { places } = arranged;
  const [reached, setReached] = useState<string>();
  const stop = entrance(places, reached ?? chosen);
  const nodes = useNodes(drawn.nodes, places, chosen, stop);
  const path = useMemo(() => pathEdges(criticalPath ?? [], drawn.nodes), [criticalPath, drawn]);
  const isLarge = drawn.nodes.length > CLOSE_ABOVE;
  const edges = useMemo(
    (): RoutedEdge[] => (isLarge ? [] : drawn.edges.map((edge) => edgeOf(edge, path, arranged))),
    [drawn, path, isLarge, arranged],
  );
  const first = useRef(viewOf(drawn.nodes, places, size));
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      onNodeClick={(_, node) => onChoose?.(node.id)}
      nodesFocusable={false}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      onlyRenderVisibleElements={isLarge}
      preventScrolling={false}
      zoomOnScroll={false}
      zoomActivationKeyCode={ZOOM_KEYS}
      defaultViewport={first.current}
      minZoom={0.05}
      maxZoom={1.5}
      proOptions={{ hideAttribution: false }}
    >
      <Background gap={22} size={1} color="var(--line)" />
      <Controls showInteractive={false} className="max-sm:[&>button]:size-10!" />
      <Panel position="bottom-center" className="!mb-2 text-2xs text-ink-2 max-md:hidden">
        Drag to move, Ctrl and wheel to zoom
      </Panel>
      {isLarge && <ManyEdges edges={drawn.edges} arranged={arranged} critical={path} />}
      {drawn.nodes.length > MAPPED && <Minimap nodes={drawn.nodes} places={places} />}
      <Refit on={places} height={size.height} nodes={drawn.nodes} chosen={chosen} />
      <Keys places={places} onReach={setReached} onChoose={onChoose} />
      <Reveal name={chosen} places={places} />
    </ReactFlow>
  );
}

/** Of the place that the picture has; 0 while it is hidden. */
function useWidth() {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const place = frame.current;
    if (!place) return;
    setWidth(place.clientWidth);
    const watch = new ResizeObserver(() => setWidth(place.clientWidth));
    watch.observe(place);
    return () => watch.disconnect();
  }, []);
  return [frame, width] as const;
}

/**
 * Of a node that did not change the same object, so that a change of one does not cost a thousand.
 * Where edges meet it is told: else React Flow would draw every node once to measure it.
 */
function useNodes(
  drawn: Drawn[],
  places: Places,
  chosen: string | undefined,
  stop: string | undefined,
): FlowNode[] {
  const known = useRef(new WeakMap<Drawn, FlowNode>());
  return useMemo(
    () =>
      drawn.map((each) => {
        const position = places.get(each.name) ?? { x: 0, y: 0 };
        const isChosen = each.name === chosen;
        const tabIndex = each.name === stop ? 0 : -1;
        const old = known.current.get(each);
        if (
          old?.position === position &&
          old.data.isChosen === isChosen &&
          old.domAttributes?.tabIndex === tabIndex
        )
          return old;
        const node: FlowNode = {
          id: each.name,
          type: "drawn",
          position,
          width: WIDTH,
          height: HEIGHT,
          measured: { width: WIDTH, height: HEIGHT },
          handles: ENDS,
          data: { drawn: each, isChosen },
          ariaRole: "button",
          domAttributes: {
            tabIndex,
            "aria-pressed": chosen ? isChosen : undefined,
            "aria-roledescription": undefined,
          },
        };
        known.current.set(each, node);
        return node;
      }),
    [drawn, places, chosen, stop],
  );
}

function edgeOf(
  edge: DrawnShape["edges"][number],
  path: ReadonlySet<string>,
  { bends }: Arranged,
): RoutedEdge {
  const id = edgeId(edge);
  const between = bends.get(id);
  return {
    id,
    ...(between && { type: "routed", data: { bends: between } }),
    source: edge.from,
    target: edge.to,
    ...(edge.when && { label: "if", ...LABEL }),
    style: path.has(id) ? CRITICAL : PLAIN,
    focusable: false,
  };
}

/** Places change only with the shape, not with states: nothing jumps while a run goes on. */
function useArranged(drawn: DrawnShape): Arranged | null {
  const names = drawn.nodes.map((node) => node.name);
  const shape = `${names.join("\0")}\x01${drawn.edges.map(edgeId).join("\x01")}`;
  const [arranged, setArranged] = useState<Arranged | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text says whether the shape changed
  useEffect(() => {
    let isOld = false;
    void layout(names, drawn.edges).then((found) => {
      if (!isOld) setArranged(found);
    });
    return () => {
      isOld = true;
    };
  }, [shape]);
  return arranged;
}

interface RefitProps {
  on: Places;
  height: number;
  nodes: Drawn[];
  chosen: string | undefined;
}

/** When groups or the frame are opened or closed, the chosen node or what needs eyes comes into sight again. */
function Refit({ on, height, nodes, chosen }: RefitProps) {
  const flow = useReactFlow();
  const store = useStoreApi();
  const latest = useRef({ nodes, chosen, shown: on, height });
  latest.current = { ...latest.current, nodes, chosen };
  useEffect(() => {
    if (latest.current.shown === on && latest.current.height === height) return;
    latest.current = { ...latest.current, shown: on, height };
    const frame = requestAnimationFrame(() => {
      const place = on.get(latest.current.chosen ?? "");
      if (place) void flow.setCenter(place.x + WIDTH / 2, place.y + HEIGHT / 2, { zoom: NEAR });
      else {
        const { width } = store.getState();
        void flow.setViewport(viewOf(latest.current.nodes, on, { width, height }));
      }
    });
    return () => cancelAnimationFrame(frame);
  }, [on, height, flow, store]);
  return null;
}

/** A node that was chosen elsewhere, by its name or in the address, comes into sight; one in sight stays where it is. */
function Reveal({ name, places }: { name: string | undefined; places: Places }) {
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(() => {
    const place = name === undefined ? undefined : places.get(name);
    if (!place) return;
    const { transform, width, height } = store.getState();
    const [x, y, zoom] = transform;
    if (isInSight(place, { x, y, zoom }, { width, height })) return;
    const near = zoom < MIDDLE ? NEAR : zoom;
    void flow.setCenter(place.x + WIDTH / 2, place.y + HEIGHT / 2, { zoom: near });
  }, [name, places, flow, store]);
  return null;
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
