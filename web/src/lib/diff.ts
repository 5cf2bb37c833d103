/** Line by line, what two texts share and where they part (longest common subsequence). */
export interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
}

const LONGEST = 2000;

export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split("\n").slice(0, LONGEST);
  const b = after.split("\n").slice(0, LONGEST);
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
