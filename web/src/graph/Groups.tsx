import { ChevronsDownUp, ChevronsUpDown, Layers2 } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  groups: string[];
  closed: ReadonlySet<string>;
  onClosed: (closed: Set<string>) => void;
}

/** Opens and closes the groups of a graph, one or all; a closed one also opens where it is drawn. */
export function Groups({ groups, closed, onClosed }: Props) {
  if (groups.length === 0) return null;
  const toggle = (group: string) => {
    const next = new Set(closed);
    if (!next.delete(group)) next.add(group);
    onClosed(next);
  };
  const hasOpen = closed.size < groups.length;
  return (
    <div className="scroll-thin flex items-center gap-1.5 overflow-x-auto px-4 py-2">
      <span className="text-xs text-ink-2">Groups</span>
      {groups.length > 1 && (
        <Chip onClick={() => onClosed(new Set(hasOpen ? groups : []))}>
          {hasOpen ? (
            <ChevronsDownUp aria-hidden className="size-3.5" />
          ) : (
            <ChevronsUpDown aria-hidden className="size-3.5" />
          )}
          {hasOpen ? "Fold all" : "Unfold all"}
        </Chip>
      )}
      {groups.map((group) => (
        <Chip
          key={group}
          pressed={closed.has(group)}
          title={closed.has(group) ? "Show its nodes" : "Draw it as one node"}
          onClick={() => toggle(group)}
        >
          <Layers2 aria-hidden className="size-3.5" />
          {group}
        </Chip>
      ))}
    </div>
  );
}

interface ChipProps {
  onClick: () => void;
  pressed?: boolean;
  title?: string;
  children: ReactNode;
}

function Chip({ onClick, pressed, title, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onClick}
      title={title}
      className="flex h-7 shrink-0 items-center gap-1.5 rounded-full border border-line bg-surface px-2.5 text-xs max-sm:h-9 aria-pressed:bg-accent-soft aria-pressed:text-accent"
    >
      {children}
    </button>
  );
}
