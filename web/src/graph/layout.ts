/** Where nodes go: small graphs by dagre, which comes beside the rest; large ones by a layout of our own. */
import type { GraphEdge } from "@/api/types";
import { patiently } from "@/lib/patiently";
import { layered } from "./layered";
import { type Bends, edgeId, type Point } from "./route";

export const WIDTH = 176;
export const HEIGHT = 52;
const MANY = 300;
const dagre = patiently(() => import("@dagrejs/dagre"))();

export type Places = Map<string, Point>;

export interface Arranged {
  places: Places;
  bends: Bends;
}

/** How large the picture is at full size. */
export function extentOf(places: Places): { width: number; height: number } {
  const all = [...places.values()];
  return {
    width: Math.max(0, ...all.map((place) => place.x)) + WIDTH,
    height: Math.max(0, ...all.map((place) => place.y)) + HEIGHT,
  };
}

export async function layout(names: string[], edges: GraphEdge[]): Promise<Arranged> {
  const known = new Set(names);
  const inside = edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
  return names.length > MANY
    ? layered(names, inside, { column: WIDTH + 44, row: HEIGHT + 14, height: HEIGHT })
    : withDagre(names, inside);
}

async function withDagre(names: string[], edges: GraphEdge[]): Promise<Arranged> {
  const { Graph, layout: arrange } = await dagre;
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 16, edgesep: 14, ranksep: 36 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const name of names) graph.setNode(name, { width: WIDTH, height: HEIGHT });
  for (const edge of edges) graph.setEdge(edge.from, edge.to);
  arrange(graph);
  const middles = new Map(names.map((name) => [name, graph.node(name) as Point]));
  const columns = new Set([...middles.values()].map(({ x }) => Math.round(x)));
  const bends = edges.map((edge) => {
    const { points = [] } = graph.edge(edge.from, edge.to) as { points?: Point[] };
    return [edgeId(edge), passed(points.slice(1, -1), columns)] as const;
  });
  return {
    places: new Map(
      names.map((name) => {
        const { x = 0, y = 0 } = middles.get(name) ?? {};
        return [name, { x: x - WIDTH / 2, y: y - HEIGHT / 2 }];
      }),
    ),
    bends: new Map(bends.filter(([, each]) => each.length > 0)),
  };
}

/** dagre bends an edge between columns too; only those in a column keep it away from nodes. */
function passed(points: Point[], columns: ReadonlySet<number>): Point[] {
  return points
    .filter(({ x }) => columns.has(Math.round(x)))
    .map(({ x, y }) => ({ x: x - WIDTH / 2, y }));
}
