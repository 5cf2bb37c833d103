/**
 * Tables that stay fast: only the rows on the screen exist, further pages load as one scrolls.
 * Sorting and filtering are the server's; a table here only shows.
 */
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { announce } from "@/lib/announce";
import { useWidth, WIDTHS } from "@/lib/useWidth";
import { Skeleton } from "./Panels";

export interface Column<T> {
  key: string;
  title: string;
  /** A CSS grid track: "minmax(0,1fr)", "8rem". */
  width: string;
  cell: (row: T) => ReactNode;
  right?: boolean;
  /** What the row is called. */
  main?: boolean;
  /** Narrower screens do without this column. */
  from?: "sm" | "md" | "lg" | "xl";
}

export interface TableProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  idOf: (row: T) => string;
  onOpen?: ((row: T) => void) | undefined;
  /** The address of what a row opens: its first column is a link, which also opens in a new tab. */
  href?: ((row: T) => string) | undefined;
  selected?: Set<string> | undefined;
  onSelect?: ((ids: Set<string>) => void) | undefined;
  onEnd?: (() => void) | undefined;
  loading?: boolean | undefined;
  empty?: ReactNode;
  rowHeight?: number;
  /** Where columns are few, a row may need another line. */
  narrowHeight?: number;
}

export function Table<T>(props: TableProps<T>) {
  const { rows, idOf, onOpen, selected, onSelect, onEnd } = props;
  const body = useRef<HTMLDivElement>(null);
  const width = useWidth();
  const wideHeight = props.rowHeight ?? 44;
  const rowHeight = width < WIDTHS.md ? (props.narrowHeight ?? wideHeight) : wideHeight;
  const [active, setActive] = useState(0);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when rows become taller
  useEffect(() => virtual.measure(), [rowHeight]);
  const shown = virtual.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && rows.length > 0 && lastShown >= rows.length - 20) onEnd();
  }, [onEnd, lastShown, rows.length]);

  const columns = useMemo(
    () => props.columns.filter((each) => !each.from || width >= WIDTHS[each.from]),
    [props.columns, width],
  );
  const tracks = [
    ...(onSelect ? [width < WIDTHS.sm ? "1rem" : "2rem"] : []),
    ...columns.map((each) => each.width),
  ].join(" ");
  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setActive(next);
    virtual.scrollToIndex(next, { align: "auto" });
    requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus(),
    );
  };
  const onKeyDown = (event: KeyboardEvent, row: T, index: number) => {
    if (event.target !== event.currentTarget) return;
    const moves: Record<string, number> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: 10,
      PageUp: -10,
    };
    const move = moves[event.key];
    if (move) focusRow(index + move);
    else if (event.key === "Enter" && onOpen) onOpen(row);
    else if (event.key === " " && onSelect) toggle(idOf(row));
    else return;
    event.preventDefault();
  };
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect?.(next);
  };
  const now = { focus: setActive, key: onKeyDown, open: onOpen, href: props.href, toggle };
  const handlers = useRef<Handlers<T>>(now);
  handlers.current = now;
  useAnnouncedAmount(props.label, props.loading ? null : rows.length);
  const isAll = rows.length > 0 && rows.every((row) => selected?.has(idOf(row)));

  if (rows.length === 0) {
    return <div className="card">{props.loading ? <Skeleton lines={8} /> : props.empty}</div>;
  }
  return (
    <div
      role="table"
      aria-label={props.label}
      // With the line of titles; further pages may come.
      aria-rowcount={onEnd ? -1 : rows.length + 1}
      className="card overflow-clip"
    >
      <div
        role="rowgroup"
        className="sticky top-0 z-10 border-b border-line bg-surface max-lg:top-13"
      >
        <div
          role="row"
          aria-rowindex={1}
          className="grid items-center gap-x-4 px-4 text-xs max-sm:gap-x-3 max-sm:px-3 font-medium text-ink-2"
          style={{ gridTemplateColumns: tracks, height: 36 }}
        >
          {onSelect && (
            <span role="columnheader">
              <input
                type="checkbox"
                aria-label="Select all loaded"
                checked={isAll}
                onChange={() => onSelect(isAll ? new Set() : new Set(rows.map(idOf)))}
              />
            </span>
          )}
          {columns.map((column) => (
            <span
              key={column.key}
              role="columnheader"
              className={`truncate ${column.right ? "text-right" : ""}`}
            >
              {column.title || <span className="sr-only">Actions</span>}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={body}
        role="rowgroup"
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        {shown.map((item) => {
          const row = rows[item.index] as T;
          const id = idOf(row);
          return (
            <Row
              key={id}
              id={id}
              row={row}
              index={item.index}
              columns={columns as Column<unknown>[]}
              tracks={tracks}
              top={item.start - virtual.options.scrollMargin}
              height={item.size}
              isActive={item.index === Math.min(active, rows.length - 1)}
              isSelected={onSelect ? (selected?.has(id) ?? false) : null}
              isLink={onOpen !== undefined}
              handlers={handlers as { current: Handlers<unknown> }}
            />
          );
        })}
      </div>
    </div>
  );
}

interface Handlers<T> {
  focus: (index: number) => void;
  key: (event: KeyboardEvent, row: T, index: number) => void;
  open: ((row: T) => void) | undefined;
  href: ((row: T) => string) | undefined;
  toggle: (id: string) => void;
}

interface RowProps {
  id: string;
  row: unknown;
  index: number;
  columns: Column<unknown>[];
  tracks: string;
  top: number;
  height: number;
  isActive: boolean;
  isSelected: boolean | null;
  isLink: boolean;
  handlers: { current: Handlers<unknown> };
}

/** Drawn again only when its own data changed: live lists change a few rows, ten times a second. */
const Row = memo(function Row(props: RowProps) {
  const { id, row, index, columns, isSelected, isLink, handlers } = props;
  const onClick = (event: MouseEvent) => {
    const isOwn = (event.target as HTMLElement).closest("a,button,input,label,[role=menu]");
    if (!isOwn && !getSelection()?.toString()) handlers.current.open?.(row);
  };
  const href = handlers.current.href?.(row);
  return (
    <div
      role="row"
      data-row={index}
      aria-rowindex={index + 2}
      tabIndex={props.isActive ? 0 : -1}
      onFocus={() => handlers.current.focus(index)}
      onKeyDown={(event) => handlers.current.key(event, row, index)}
      onClick={onClick}
      className={`absolute inset-x-0 grid items-center gap-x-4 border-b border-line px-4 max-sm:gap-x-3 max-sm:px-3 -outline-offset-2 last:border-b-0 ${isLink ? "cursor-pointer hover:bg-sunken/60" : ""} ${isSelected ? "bg-accent-soft" : ""}`}
      style={{
        gridTemplateColumns: props.tracks,
        height: props.height,
        transform: `translateY(${props.top}px)`,
      }}
    >
      {isSelected !== null && (
        <span role="cell" className="h-full">
          {/* All of the corner answers: who misses a small box would open the row instead. */}
          <label className="-mr-3 -ml-4 flex h-full cursor-default items-center pr-3 pl-4 max-sm:-mr-2 max-sm:-ml-3 max-sm:pr-2 max-sm:pl-3">
            <input
              type="checkbox"
              aria-label={`Select ${id}`}
              checked={isSelected}
              onChange={() => handlers.current.toggle(id)}
            />
          </label>
        </span>
      )}
      {columns.map((column) => (
        <div
          key={column.key}
          role="cell"
          className={`min-w-0 truncate ${column.right ? "num text-right" : ""}`}
        >
          {href && column.main ? (
            <RowLink href={href} onOpen={() => handlers.current.open?.(row)}>
              {column.cell(row)}
            </RowLink>
          ) : (
            column.cell(row)
          )}
        </div>
      ))}
    </div>
  );
});

interface LinkProps {
  href: string;
  onOpen: () => void;
  children: ReactNode;
}

/** No stop of its own for the Tab key: the row is one. Clicks for a new tab are the browser's. */
function RowLink({ href, onOpen, children }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!getSelection()?.toString()) onOpen();
  };
  return (
    <a href={href} tabIndex={-1} draggable={false} onClick={onClick} className="block truncate">
      {children}
    </a>
  );
}

/** Heard when a list becomes empty or is no more: what a search leads to, without each row that comes. */
function useAnnouncedAmount(label: string, many: number | null): void {
  const before = useRef(many);
  useEffect(() => {
    if (many === null) return;
    const old = before.current;
    before.current = many;
    if (old === null || (old === 0) === (many === 0)) return;
    announce(many === 0 ? `${label}: none` : `${label}: ${many}`);
  }, [label, many]);
}
