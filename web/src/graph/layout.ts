/** Where nodes go: small graphs by dagre, which comes beside the rest; large ones by a layout of our own. */
import type { GraphEdge } from "@/api/types";
import { layered } from "./layered";

export const WIDTH = 176;
export const HEIGHT = 52;
const MANY = 300;
const dagre = import("@dagrejs/dagre");

export type Places = Map<string, { x: number; y: number }>;

/** How large the picture is at full size. */
export function extentOf(places: Places): { width: number; height: number } {
  const all = [...places.values()];
  return {
    width: Math.max(0, ...all.map((place) => place.x)) + WIDTH,
    height: Math.max(0, ...all.map((place) => place.y)) + HEIGHT,
  };
}

export async function layout(names: string[], edges: GraphEdge[]): Promise<Places> {
  const known = new Set(names);
  const inside = edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
  return names.length > MANY
    ? layered(names, inside, { column: WIDTH + 44, row: HEIGHT + 14 })
    : withDagre(names, inside);
}

async function withDagre(names: string[], edges: GraphEdge[]): Promise<Places> {
  const { Graph, layout: arrange } = await dagre;
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 16, ranksep: 36 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const name of names) graph.setNode(name, { width: WIDTH, height: HEIGHT });
  for (const edge of edges) graph.setEdge(edge.from, edge.to);
  arrange(graph);
  return new Map(
    names.map((name) => {
      const { x = 0, y = 0 } = graph.node(name) as { x?: number; y?: number };
      return [name, { x: x - WIDTH / 2, y: y - HEIGHT / 2 }];
    }),
  );
}
