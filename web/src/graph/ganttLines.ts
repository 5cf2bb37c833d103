/** The lines of a Gantt chart: nodes, and groups of nodes that may be folded. */
import type { Row } from "./bars";
import { LOUDEST } from "./collapse";

export interface Line {
  key: string;
  /** Of a node: its bars. */
  row?: Row;
  /** Of a group: its name. */
  group?: string;
  /** Of a node: whether it stands below the name of its group. */
  isInside: boolean;
  /** All of a group, or the node itself. */
  members: Row[];
  start: number;
  /** None while it goes on. */
  end: number | null;
  state: string | undefined;
}

export function linesOf(rows: Row[], folded: ReadonlySet<string>): Line[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const { group } = row.node;
    if (group) groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return rows.flatMap((row): Line[] => {
    const { group } = row.node;
    if (!group) return [lineOf(row, false)];
    const members = groups.get(group) ?? [];
    if (members[0] !== row) return [];
    const head = headOf(group, members);
    return folded.has(group) ? [head] : [head, ...members.map((each) => lineOf(each, true))];
  });
}

function lineOf(row: Row, isInside: boolean): Line {
  const { node, start, end } = row;
  return { key: node.name, row, isInside, members: [row], start, end, state: node.state };
}

function headOf(group: string, members: Row[]): Line {
  const states = new Set(members.map(({ node }) => node.state));
  const ends = members.map(({ end }) => end);
  return {
    key: `group ${group}`,
    group,
    isInside: false,
    members,
    start: Math.min(...members.map(({ ran }) => ran)),
    end: ends.includes(null) ? null : Math.max(...(ends as number[])),
    state: LOUDEST.find((each) => states.has(each)),
  };
}
