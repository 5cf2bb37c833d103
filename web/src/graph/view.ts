/** Where to look at first: the size of the picture and the part of it that fills the frame. */
import { getViewportForBounds, type Viewport } from "@xyflow/react";
import type { Drawn } from "./collapse";
import { extentOf, HEIGHT, type Places, WIDTH } from "./layout";

/** Below this zoom words are dust, however large they are in their node. */
export const FAR = 0.2;
/** Below these zooms a node has only its name, in letters that can be read from there. */
export const SMALL = 0.38;
export const MIDDLE = 0.62;
export const NEAR = 0.8;
const EDGE = 32;
const LEAST = 320;
const ROOM = 0.06;

export interface Frame {
  width: number;
  height: number;
}

/** As tall as the picture needs at the zoom that shows its whole width, within reason. */
export function heightFor(places: Places, width: number, most: number): number {
  const extent = extentOf(places);
  const zoom = Math.max(NEAR, Math.min(1, width / (extent.width * 1.15)));
  return Math.max(LEAST, Math.min(most, extent.height * zoom + 130));
}

/** A graph whole if its words can be read then; else what needs eyes: where it failed, runs, or begins. */
export function viewOf(nodes: Drawn[], places: Places, { width, height }: Frame): Viewport {
  const whole = getViewportForBounds(boundsOf(nodes, places), width, height, 0.05, 1, ROOM);
  return whole.zoom < FAR ? nearView(nodes, places, { width, height }) : whole;
}

/** What failed or runs in the middle; if nothing does, the beginning at the left. */
function nearView(nodes: Drawn[], places: Places, { width, height }: Frame): Viewport {
  const loud = nodes.filter((node) => node.state === "failed");
  const busy = loud.length ? loud : nodes.filter((node) => node.state === "running");
  const bounds = boundsOf((busy.length ? busy : beginnings(nodes, places)).slice(0, 6), places);
  const view = getViewportForBounds(bounds, width, height, NEAR, 1, ROOM);
  return busy.length ? view : { ...view, x: EDGE - bounds.x * view.zoom };
}

function beginnings(nodes: Drawn[], places: Places): Drawn[] {
  const left = Math.min(...nodes.map((node) => places.get(node.name)?.x ?? 0));
  return nodes.filter((node) => places.get(node.name)?.x === left);
}

function boundsOf(nodes: Drawn[], places: Places) {
  const all = nodes.map((node) => places.get(node.name) ?? { x: 0, y: 0 });
  const x = Math.min(...all.map((place) => place.x));
  const y = Math.min(...all.map((place) => place.y));
  const right = Math.max(...all.map((place) => place.x)) + WIDTH;
  const bottom = Math.max(...all.map((place) => place.y)) + HEIGHT;
  return { x, y, width: right - x, height: bottom - y };
}

/** Whether a node is in the frame, whole. */
export function isInSight(
  place: { x: number; y: number },
  { x, y, zoom }: Viewport,
  { width, height }: Frame,
): boolean {
  const left = place.x * zoom + x;
  const top = place.y * zoom + y;
  const fits = left >= 0 && left + WIDTH * zoom <= width;
  return fits && top >= 0 && top + HEIGHT * zoom <= height;
}
