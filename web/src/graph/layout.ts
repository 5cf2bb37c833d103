/** Where nodes go. Small graphs by dagre, at once; large ones by elk, in a worker, loaded late. */
import type { GraphEdge } from "@/api/types";

export const WIDTH = 176;
export const HEIGHT = 52;
const MANY = 300;

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
  return names.length > MANY ? withElk(names, inside) : withDagre(names, inside);
}

async function withDagre(names: string[], edges: GraphEdge[]): Promise<Places> {
  const { Graph, layout: arrange } = await import("@dagrejs/dagre");
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

async function withElk(names: string[], edges: GraphEdge[]): Promise<Places> {
  const { default: ELK } = await import("elkjs/lib/elk-api.js");
  const { default: url } = await import("elkjs/lib/elk-worker.min.js?url");
  const elk = new ELK({ workerFactory: () => new Worker(url) });
  try {
    const arranged = await elk.layout({
      id: "root",
      layoutOptions: {
        "elk.algorithm": "layered",
        "elk.direction": "RIGHT",
        "elk.spacing.nodeNode": "18",
        "elk.layered.spacing.nodeNodeBetweenLayers": "44",
        // The default tries seven times as hard, for a picture nobody can tell apart at this size.
        "elk.layered.thoroughness": "1",
        "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
      },
      children: names.map((id) => ({ id, width: WIDTH, height: HEIGHT })),
      edges: edges.map((edge, index) => ({
        id: String(index),
        sources: [edge.from],
        targets: [edge.to],
      })),
    });
    return new Map(
      (arranged.children ?? []).map((each) => [each.id, { x: each.x ?? 0, y: each.y ?? 0 }]),
    );
  } finally {
    elk.terminateWorker();
  }
}
