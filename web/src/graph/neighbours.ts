/** Going through the picture of a graph by arrow keys. */
import { HEIGHT, type Places, WIDTH } from "./layout";

const WAYS: Record<string, [number, number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
/** What differs by less stands in the same row or column. */
const SAME = 0.1;

/**
 * The node that an arrow key leads to; none at the edge of the picture. Across, it is the nearest of
 * the next column; up and down, the next of the same column as long as there is one.
 */
export function neighbour(places: Places, from: string, key: string): string | null {
  const here = places.get(from);
  const way = WAYS[key];
  if (!here || !way) return null;
  const isAcross = way[0] !== 0;
  let best: [string, number, number] | null = null;
  for (const [name, place] of places) {
    const x = (place.x - here.x) / WIDTH;
    const y = (place.y - here.y) / HEIGHT;
    const ahead = x * way[0] + y * way[1];
    const aside = Math.abs(isAcross ? y : x);
    if (ahead <= SAME) continue;
    const [first, second] = isAcross ? [ahead, aside] : [aside, ahead];
    if (!best || first < best[1] - SAME || (first < best[1] + SAME && second < best[2]))
      best = [name, first, second];
  }
  return best?.[0] ?? null;
}

/** Where the Tab key enters: at the node that is chosen, else at the first of the reading order. */
export function entrance(places: Places, chosen: string | undefined): string | undefined {
  if (chosen && places.has(chosen)) return chosen;
  const [first] = [...places].sort(([, a], [, b]) => a.x - b.x || a.y - b.y);
  return first?.[0];
}
