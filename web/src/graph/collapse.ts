/** Groups of nodes drawn as one, with counts; the rest of the graph does not notice. */
import type { GraphEdge, GraphNode } from "@/api/types";

/** Of a run or of a definition. */
export interface Shape {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export interface Drawn extends Omit<GraphNode, "kind" | "join" | "job"> {
  kind: GraphNode["kind"] | "group";
  job?: string | undefined;
  /** The names that this one stands for, when it is a closed group. */
  inside?: string[];
  counts?: Record<string, number>;
}

export interface DrawnShape {
  nodes: Drawn[];
  edges: GraphEdge[];
}

export const GROUP = "group:";

export function groupsOf(shape: Shape): string[] {
  return [
    ...new Set(
      shape.nodes.map((node) => node.group).filter((group): group is string => Boolean(group)),
    ),
  ];
}

export function collapse(shape: Shape, closed: ReadonlySet<string>): DrawnShape {
  const standIn = new Map<string, string>();
  const members = new Map<string, GraphNode[]>();
  for (const node of shape.nodes) {
    const isClosed = node.group && closed.has(node.group);
    standIn.set(node.name, isClosed ? GROUP + node.group : node.name);
    if (isClosed)
      members.set(node.group as string, [...(members.get(node.group as string) ?? []), node]);
  }
  const nodes: Drawn[] = shape.nodes.filter((node) => !node.group || !closed.has(node.group));
  for (const [group, inside] of members) nodes.push(asOne(group, inside));
  return { nodes, edges: joinEdges(shape.edges, standIn) };
}

function joinEdges(edges: GraphEdge[], standIn: Map<string, string>): GraphEdge[] {
  const joined = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const from = standIn.get(edge.from) ?? edge.from;
    const to = standIn.get(edge.to) ?? edge.to;
    if (from !== to) joined.set(`${from}\0${to}`, { ...edge, from, to });
  }
  return [...joined.values()];
}

// The state that a person should see first stands for all.
export const LOUDEST = [
  "failed",
  "running",
  "queued",
  "ready",
  "scheduled",
  "suspended",
  "held",
  "cancelled",
  "upstream_failed",
  "pending",
  "success",
  "skipped",
];

/** In a definition nodes have no state, and what stands for them has none. */
function asOne(group: string, inside: GraphNode[]): Drawn {
  const counts: Record<string, number> = {};
  for (const { state } of inside) {
    if (state) counts[state] = (counts[state] ?? 0) + 1;
  }
  const state = LOUDEST.find((each) => counts[each]) ?? Object.keys(counts)[0];
  return {
    name: GROUP + group,
    kind: "group",
    group,
    ...(state && { state }),
    critical: inside.some((node) => node.critical),
    inside: inside.map((node) => node.name),
    counts,
  };
}
