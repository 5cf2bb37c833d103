/** The table of a grid: durations of runs above, a row for each node or folded group. */
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import type { Grid } from "@/api/types";
import { plural } from "@/lib/format";
import { clock, dayMonth, duration, hourMinute, utc } from "@/lib/time";
import { Name } from "@/ui/Name";
import { lookOf } from "@/ui/State";
import { useNow } from "@/ui/Time";
import { type GridRow, type GridRun, isNewVersion, loudestOf, tookMs, whenOf } from "./gridRows";

/** A cell and what is between cells; for fingers a cell has the 24 pixels of WCAG 2.5.8. */
const ROW_PX = { fine: 20, coarse: 28 };
const BAR_PX = { least: 24, more: 28 };

/** Every so many runs have their time above them, counted from the newest. */
const NAMED = 5;
const DAY_MS = 86_400_000;

/** The clock while all are of one day, else the day. */
function timeOf(run: GridRun, all: GridRun[]): string {
  const times = all.map((each) => Date.parse(whenOf(each)));
  const isShort = Math.max(...times) - Math.min(...times) < DAY_MS;
  return isShort ? hourMinute(whenOf(run)) : dayMonth(whenOf(run));
}

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/** From the runs above the grid arrow keys lead to its cells, over places where nothing ran. */
function moveInGrid(event: KeyboardEvent<HTMLTableElement>): void {
  const from = event.target as HTMLElement;
  const way = STEPS[event.key];
  const column = Number(from.dataset.column ?? Number.NaN);
  if (!way || Number.isNaN(column)) return;
  event.preventDefault();
  const rows = [...event.currentTarget.rows];
  let row = rows.indexOf(from.closest("tr") as HTMLTableRowElement) + way[0];
  let at = column + way[1];
  for (; rows[row] && at >= 0 && at < (rows[0]?.cells.length ?? 0); row += way[0], at += way[1]) {
    const found = rows[row]?.querySelector<HTMLElement>(`[data-column="${at}"]`);
    if (!found) continue;
    found.focus();
    return;
  }
}

interface Chosen {
  run: string | undefined;
  node: string | undefined;
}

interface Props {
  runs: GridRun[];
  rows: GridRow[];
  cells: Grid["cells"];
  folded: ReadonlySet<string>;
  chosen: Chosen;
  onToggle: (group: string) => void;
  onChoose: (run: string, node: string) => void;
  isCoarse: boolean;
}

/** Only the rows in sight exist: a thousand nodes in thirty runs would be thirty thousand cells. */
export function GridTable(props: Props) {
  const { runs, rows, isCoarse } = props;
  const rowPx = isCoarse ? ROW_PX.coarse : ROW_PX.fine;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 20,
  });
  const shown = virtual.getVirtualItems();
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  // A narrow frame begins at the newest.
  useLayoutEffect(() => {
    const frame = scroller.current;
    if (frame) frame.scrollLeft = frame.scrollWidth;
  }, []);
  return (
    <div ref={scroller} className="scroll-thin max-h-[70vh] overflow-auto">
      <table onKeyDown={moveInGrid} className="border-separate border-spacing-0 pr-4">
        <Head runs={runs} chosen={props.chosen} />
        <tbody>
          {above > 0 && <tr style={{ height: above }} />}
          {shown.map((item) => (
            <Row key={item.key} {...props} row={rows[item.index] as GridRow} rowPx={rowPx} />
          ))}
          {below > 0 && <tr style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

/** How long each run took, as a bar; when it was, and where another version begins. */
function Head({ runs, chosen }: { runs: GridRun[]; chosen: Chosen }) {
  const now = useNow();
  const longest = Math.max(1, ...runs.map((run) => tookMs(run, now)));
  return (
    <thead>
      <tr>
        <th className="sticky top-0 left-0 z-20 min-w-28 border-b border-line bg-surface px-4 py-2 text-left align-bottom text-xs font-medium text-ink-2 sm:min-w-44">
          <span className="flex items-end justify-between gap-2">
            Node
            <span className="num font-normal whitespace-nowrap" title="The longest run">
              {duration(longest)}
            </span>
          </span>
        </th>
        {runs.map((run, index) => (
          <th
            key={run.executionId}
            scope="col"
            className={`sticky top-0 z-10 border-b border-line bg-surface px-0.5 pt-10 pb-2 align-bottom ${isNewVersion(runs, index) ? "border-l border-l-ink-3" : ""}`}
          >
            {(runs.length - 1 - index) % NAMED === 0 && (
              <span
                className={`num absolute top-1 text-2xs font-normal whitespace-nowrap text-ink-2 ${index < 2 ? "left-0.5" : "right-0.5"}`}
              >
                {timeOf(run, runs)}
              </span>
            )}
            {isNewVersion(runs, index) && (
              <span
                title={`Version ${run.version} begins here`}
                className="num absolute top-5 left-0.5 text-2xs font-medium whitespace-nowrap text-accent"
              >
                {`v${run.version}`}
              </span>
            )}
            <Bar
              run={run}
              column={index}
              tookMs={tookMs(run, now)}
              longest={longest}
              isChosen={chosen.run === run.executionId && !chosen.node}
            />
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface BarProps {
  run: GridRun;
  column: number;
  tookMs: number;
  longest: number;
  isChosen: boolean;
}

function Bar({ run, column, tookMs: took, longest, isChosen }: BarProps) {
  const word = lookOf(run.state).word;
  const when = clock(whenOf(run), Date.now());
  const said = `${word}, ${took ? `took ${duration(took)}` : "not started"}, v${run.version}`;
  return (
    <Link
      to="."
      search={((old: object) => ({ ...old, run: run.executionId, node: undefined })) as never}
      resetScroll={false}
      data-column={column}
      aria-label={`Run of ${when}, ${said}`}
      title={`${when}, ${said}\n${utc(whenOf(run))}`}
      className="flex items-end"
      style={{ height: BAR_PX.least + BAR_PX.more }}
    >
      <span
        className={`block w-4 rounded-sm pointer-coarse:w-6 ${lookOf(run.state).fill} ${isChosen ? "ring-2 ring-accent" : ""}`}
        style={{ height: Math.round(4 + ((BAR_PX.least + BAR_PX.more - 4) * took) / longest) }}
      />
    </Link>
  );
}

interface RowProps extends Props {
  row: GridRow;
  rowPx: number;
}

function Row({ row, rowPx, runs, cells, folded, chosen, onToggle, onChoose }: RowProps) {
  const { group, of, name, inside } = row;
  const isFolded = group !== undefined && folded.has(group);
  return (
    <tr className="hover:bg-sunken" style={{ height: rowPx }}>
      <th
        scope="row"
        className={`sticky left-0 max-w-32 bg-surface py-0.5 pr-4 text-left font-normal sm:max-w-56 ${of ? "pl-9" : "pl-4"}`}
      >
        {group === undefined ? (
          <Name text={name} />
        ) : (
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={() => onToggle(group)}
            title={isFolded ? "Show its nodes" : "Show it as one row"}
            className="-ml-1 flex w-full items-center gap-1 font-medium"
          >
            {isFolded ? (
              <ChevronRight aria-hidden className="size-4 shrink-0" />
            ) : (
              <ChevronDown aria-hidden className="size-4 shrink-0" />
            )}
            <Name text={name} />
            <span className="shrink-0 text-xs font-normal text-ink-3">{inside.length}</span>
          </button>
        )}
      </th>
      {runs.map((run, column) => (
        <Cell
          key={run.executionId}
          row={row}
          column={column}
          cells={cells[run.executionId]}
          isNew={isNewVersion(runs, column)}
          isChosen={chosen.run === run.executionId && chosen.node === name}
          onPress={() => (group ? onToggle(group) : onChoose(run.executionId, name))}
        />
      ))}
    </tr>
  );
}

interface CellProps {
  row: GridRow;
  column: number;
  cells: Record<string, string> | undefined;
  isNew: boolean;
  isChosen: boolean;
  onPress: () => void;
}

function Cell({ row, column, cells, isNew, isChosen, onPress }: CellProps) {
  const state = loudestOf(row.inside, cells);
  const many = row.inside.filter((node) => cells?.[node] === state).length;
  const word = lookOf(state).word;
  const said = row.group
    ? `${row.name}: ${many} of ${plural(row.inside.length, "node")} ${word.toLowerCase()}`
    : `${row.name}: ${word}`;
  return (
    <td className={`px-0.5 py-0.5 ${isNew ? "border-l border-ink-3" : ""}`}>
      {state && (
        <button
          type="button"
          tabIndex={-1}
          data-column={column}
          aria-label={said}
          title={said}
          onClick={onPress}
          className={`block size-4 rounded-sm pointer-coarse:size-6 hover:opacity-70 ${lookOf(state).fill} ${isChosen ? "ring-2 ring-accent" : ""} ${row.group ? "scale-75" : ""}`}
        />
      )}
    </td>
  );
}
