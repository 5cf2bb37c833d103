/** Thin places in the columns that long edges pass, shared by all edges of the same beginning. */
import type { Links } from "./layered";

interface Lanes {
  /** Of nodes and, after them, of thin places: with these no edge skips a column. */
  depths: number[];
  links: Links;
  /** The thin places between two nodes, from the first to the last. */
  wayOf: (from: number, to: number) => number[];
}

/** With more of them the picture would be lanes and little else, and slow. */
const MOST = 4_000;

export function lanesOf(given: Links, nodeDepths: number[]): Lanes {
  const depths = [...nodeDepths];
  const ways = given.after.map((targets, from) => {
    const first = (nodeDepths[from] ?? 0) + 1;
    const last = targets.reduce((far, to) => Math.max(far, (nodeDepths[to] ?? 0) - 1), 0);
    const many = depths.length - nodeDepths.length + Math.max(0, last - first + 1);
    const way: number[] = [];
    for (let depth = first; depth <= last && many <= MOST; depth++)
      way.push(depths.push(depth) - 1);
    return way;
  });
  const wayOf = (from: number, to: number) =>
    (ways[from] ?? []).slice(0, Math.max(0, (nodeDepths[to] ?? 0) - (nodeDepths[from] ?? 0) - 1));
  return { depths, links: linked(given, depths.length, wayOf), wayOf };
}

function linked(given: Links, many: number, wayOf: Lanes["wayOf"]): Links {
  const links: Links = {
    before: Array.from({ length: many }, () => []),
    after: Array.from({ length: many }, () => []),
  };
  const known = new Set<number>();
  const join = (from: number, to: number) => {
    const pair = from * many + to;
    if (known.has(pair)) return;
    known.add(pair);
    links.after[from]?.push(to);
    links.before[to]?.push(from);
  };
  given.after.forEach((targets, from) => {
    for (const to of targets) {
      let last = from;
      for (const thin of wayOf(from, to)) {
        join(last, thin);
        last = thin;
      }
      join(last, to);
    }
  });
  return links;
}
