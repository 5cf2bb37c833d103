/** The columns and rows of a grid: runs in the order of their times, nodes in their groups. */
import type { Grid } from "@/api/types";
import { LOUDEST } from "./collapse";

export type GridRun = Grid["runs"][number];

/** What a run is for, or when it was made. */
export function whenOf({ scheduledFor, createdAt }: GridRun): string {
  return scheduledFor ?? createdAt;
}

/** The oldest first: a backfill of last week stands in last week. */
export function inOrder(runs: GridRun[]): GridRun[] {
  const key = (run: GridRun) => Date.parse(whenOf(run));
  return [...runs].sort((a, b) => key(a) - key(b) || (a.executionId < b.executionId ? -1 : 1));
}

export function isNewVersion(runs: GridRun[], index: number): boolean {
  const before = runs[index - 1];
  return before !== undefined && before.version !== runs[index]?.version;
}

/** 0 for a run that has not started. */
export function tookMs({ startedAt, finishedAt }: GridRun, now: number): number {
  if (!startedAt) return 0;
  return Math.max(0, (finishedAt ? Date.parse(finishedAt) : now) - Date.parse(startedAt));
}

export interface GridRow {
  name: string;
  /** Of the row of a group: its name. */
  group?: string;
  /** Of a node: the group that it is in. */
  of?: string;
  /** The nodes that the row stands for. */
  inside: string[];
}

/** With the nodes that are wanted; what is looked for is shown in folded groups as well. */
export function rowsOf(
  nodes: string[],
  groupOf: ReadonlyMap<string, string>,
  folded: ReadonlySet<string>,
  isWanted: (node: string) => boolean,
): GridRow[] {
  const wanted = nodes.filter(isWanted);
  const isSearch = wanted.length < nodes.length;
  const members = new Map<string, string[]>();
  for (const node of wanted) {
    const group = groupOf.get(node);
    if (group) members.set(group, [...(members.get(group) ?? []), node]);
  }
  return wanted.flatMap((node): GridRow[] => {
    const of = groupOf.get(node);
    if (!of) return [{ name: node, inside: [node] }];
    const inside = members.get(of) ?? [];
    if (inside[0] !== node) return [];
    const head = { name: of, group: of, inside };
    if (folded.has(of) && !isSearch) return [head];
    return [head, ...inside.map((name) => ({ name, of, inside: [name] }))];
  });
}

/** The state that a person should see first; none where nothing of it ran. */
export function loudestOf(
  inside: string[],
  cells: Record<string, string> | undefined,
): string | undefined {
  const found = new Set(inside.map((node) => cells?.[node]).filter(Boolean));
  return LOUDEST.find((state) => found.has(state)) ?? [...found][0];
}
