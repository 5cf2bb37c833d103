/** Line by line, what two texts share and where they part (longest common subsequence). */
export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
}

/** Of each text; the table of all pairs takes 8 MB then. */
export const COMPARED_LINES = 2000;

export interface Diff {
  lines: DiffLine[];
  /** There is more than was compared. */
  isCut: boolean;
}

export function diffLines(before: string, after: string): Diff {
  const whole = [before.split("\n"), after.split("\n")] as const;
  const [a, b] = whole.map((each) => each.slice(0, COMPARED_LINES)) as [string[], string[]];
  return { lines: walk(a, b), isCut: whole.some((each) => each.length > COMPARED_LINES) };
}

function walk(a: string[], b: string[]): DiffLine[] {
  const lengths = table(a, b);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1))) {
      lines.push({ kind: "gone", text: a[i] ?? "" });
      i += 1;
    } else {
      lines.push({ kind: "new", text: b[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}

function at(lengths: Uint16Array[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

function table(a: string[], b: string[]): Uint16Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i] as Uint16Array;
      row[j] =
        a[i] === b[j]
          ? at(lengths, i + 1, j + 1) + 1
          : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}
