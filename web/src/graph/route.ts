/** Edges that skip columns go between the nodes of those columns, never behind one. */

export interface Point {
  x: number;
  y: number;
}

/** By `edgeId`: where an edge enters each column that it only passes, and how high it crosses it. */
export type Bends = ReadonlyMap<string, readonly Point[]>;

export const NO_BENDS: Bends = new Map();

export function edgeId(edge: { from: string; to: string }): string {
  return `${edge.from}\0${edge.to}`;
}

/** From one end to the other, level across every column it passes, in gentle bows between them. */
export function pathThrough(
  from: Point,
  bends: readonly Point[],
  to: Point,
  width: number,
): string {
  let here = from;
  let path = `M${from.x} ${from.y}`;
  for (const bend of bends) {
    path += bow(here, bend);
    here = { x: bend.x + width, y: bend.y };
    path += `H${here.x}`;
  }
  return path + bow(here, to);
}

function bow(from: Point, to: Point): string {
  const middle = (from.x + to.x) / 2;
  return `C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
}
