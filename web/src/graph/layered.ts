/**
 * Places for large graphs: columns by depth, order by the neighbours' order, in a few milliseconds.
 *
 * A thousand nodes take dagre 4.6 s and elk 1.8 s (and 470 kB); nobody looks at that many at once,
 * so speed counts more than the last crossing. Edges that skip columns get a thin place in each of
 * them, one for all edges of the same beginning.
 */
import type { GraphEdge } from "@/api/types";
import { lanesOf } from "./lanes";
import { type Bends, edgeId, type Point } from "./route";

export interface Spacing {
  column: number;
  row: number;
  /** Of a node. */
  height: number;
}

export interface Links {
  before: number[][];
  after: number[][];
}

const SWEEPS = 6;
/** How much of a row an edge needs that only passes. */
const THIN = 0.3;

export function layered(
  names: string[],
  edges: GraphEdge[],
  spacing: Spacing,
): { places: Map<string, Point>; bends: Bends } {
  const links = linksOf(names, edges);
  const depths = depthsOf(names.length, links);
  const lanes = lanesOf(links, depths);
  const columns = columnsOf(lanes.depths);
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    untangle(columns, sweep % 2 ? lanes.links.after : lanes.links.before, sweep % 2 === 1);
  const rows = rowsOf(columns, lanes.links, names.length);
  const top = rows.reduce((least, row) => Math.min(least, row), 0);
  const place = (node: number): Point => ({
    x: (lanes.depths[node] ?? 0) * spacing.column,
    y: ((rows[node] ?? 0) - top) * spacing.row,
  });
  const index = new Map(names.map((name, at) => [name, at]));
  const bends = edges.flatMap((edge) => {
    const way = lanes.wayOf(index.get(edge.from) ?? -1, index.get(edge.to) ?? -1);
    const points = way.map(place).map(({ x, y }) => ({ x, y: y + spacing.height / 2 }));
    return points.length ? [[edgeId(edge), points] as const] : [];
  });
  return {
    places: new Map(names.map((name, node) => [name, place(node)])),
    bends: new Map(bends),
  };
}

function linksOf(names: string[], edges: GraphEdge[]): Links {
  const index = new Map(names.map((name, at) => [name, at]));
  const links: Links = { before: names.map(() => []), after: names.map(() => []) };
  for (const edge of edges) {
    const from = index.get(edge.from);
    const to = index.get(edge.to);
    if (from === undefined || to === undefined || from === to) continue;
    links.after[from]?.push(to);
    links.before[to]?.push(from);
  }
  return links;
}

/** The longest way from a beginning; nodes of a circle, if there were one, stay in the first column. */
function depthsOf(many: number, { before, after }: Links): number[] {
  const depths = new Array<number>(many).fill(0);
  const waits = before.map((each) => each.length);
  const ready = waits.flatMap((count, node) => (count === 0 ? [node] : []));
  for (let next = 0; next < ready.length; next++) {
    const node = ready[next] as number;
    for (const child of after[node] ?? []) {
      depths[child] = Math.max(depths[child] ?? 0, (depths[node] ?? 0) + 1);
      waits[child] = (waits[child] ?? 0) - 1;
      if (waits[child] === 0) ready.push(child);
    }
  }
  return depths;
}

function columnsOf(depths: number[]): number[][] {
  const columns: number[][] = [];
  depths.forEach((depth, node) => {
    while (columns.length <= depth) columns.push([]);
    columns[depth]?.push(node);
  });
  return columns;
}

/** Sorts each column by where its neighbours stand in the columns before (or, backwards, after). */
function untangle(columns: number[][], neighbours: number[][], isBackwards: boolean): void {
  const place = new Map<number, number>();
  const order = isBackwards ? [...columns].reverse() : columns;
  for (const column of order) {
    const wish = new Map(
      column.map((node, at) => [node, mean(neighbours[node] ?? [], place) ?? at]),
    );
    column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    for (const [at, node] of column.entries()) place.set(node, at);
  }
}

function mean(nodes: number[], place: Map<number, number>): number | null {
  const known = nodes.flatMap((node) => place.get(node) ?? []);
  return known.length ? known.reduce((sum, each) => sum + each, 0) / known.length : null;
}

/** Rows near the parents' rows, never two nodes on one; what comes after the nodes is thin. */
function rowsOf(columns: number[][], { before }: Links, nodes: number): number[] {
  const rows: number[] = [];
  const sizeOf = (each: number) => (each < nodes ? 1 : THIN);
  for (const column of columns) {
    const wishes = column.map((node, at) => {
      const parents = before[node] ?? [];
      return parents.length
        ? parents.reduce((sum, each) => sum + (rows[each] ?? 0), 0) / parents.length
        : at;
    });
    let last = Number.NEGATIVE_INFINITY;
    let size = 0;
    let pushed = 0;
    const placed = wishes.map((wish, at) => {
      const own = sizeOf(column[at] as number);
      last = Math.max(wish, last + (size + own) / 2);
      size = own;
      pushed += last - wish;
      return last;
    });
    const shift = pushed / Math.max(1, column.length);
    column.forEach((node, at) => {
      rows[node] = (placed[at] ?? 0) - shift;
    });
  }
  return rows;
}
