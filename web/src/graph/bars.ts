/** The bars of a timeline: what a node did over time, ready to be drawn. */
import type { GraphNode, Track } from "@/api/types";

export interface Bar {
  part: Track["stretches"][number]["part"];
  from: number;
  until: number;
}

export interface Row {
  node: GraphNode;
  /** When it began to wait, and when it first ran. */
  start: number;
  ran: number;
  /** None while it goes on. */
  end: number | null;
  waitedMs: number;
  tries: number;
  items: number | null;
  stretches: Bar[];
}

/** Nodes that have begun, in the order in which they did. */
export function rowsOf(nodes: GraphNode[], tracks: Track[]): Row[] {
  const byName = new Map(tracks.map((track) => [track.name, track]));
  return nodes
    .filter((node) => node.startedAt)
    .map((node) => rowOf(node, byName.get(node.name)))
    .sort((a, b) => a.ran - b.ran);
}

function rowOf(node: GraphNode, track: Track | undefined): Row {
  const began = Date.parse(node.startedAt as string);
  const end = node.finishedAt ? Date.parse(node.finishedAt) : null;
  const stretches = (track?.stretches ?? []).map((each) => ({
    part: each.part,
    from: Date.parse(each.startAt),
    until: Date.parse(each.endAt),
  }));
  const ran = Math.min(began, ...stretches.filter(isWork).map((each) => each.from));
  const waits = stretches.filter((each) => each.part === "queued");
  return {
    node,
    start: Math.min(ran, ...stretches.map((each) => each.from)),
    ran,
    end,
    waitedMs: waits.reduce((sum, each) => sum + each.until - each.from, 0),
    tries: track?.attempts ?? 1,
    items: track?.instances ?? null,
    stretches,
  };
}

const isWork = (bar: Bar) => bar.part !== "queued";

/** The server's stretches end when it was asked; what goes on is drawn until now. */
export function barsOf({ stretches, ran, end, node }: Row, now: number): Bar[] {
  if (!stretches.some(isWork)) return [{ part: "running", from: ran, until: end ?? now }];
  const last = stretches.at(-1) as Bar;
  const isOpen = end === null && node.state === "running" && last.part === "running";
  return isOpen
    ? [...stretches.slice(0, -1), { ...last, until: Math.max(now, last.until) }]
    : stretches;
}
