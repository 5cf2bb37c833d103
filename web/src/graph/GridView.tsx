import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef } from "react";
import { grid } from "@/api/queries";
import type { Grid } from "@/api/types";
import { clock, dayMonth, hourMinute, utc } from "@/lib/time";
import { useCoarse } from "@/lib/useCoarse";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { lookOf, NODE_STATES, STATES } from "@/ui/State";

/** Runs beside one another, a column each; a node that often fails is a line of red. */
export function GridView({ name }: { name: string }) {
  const query = useQuery(grid(name));
  const isCoarse = useCoarse();
  return (
    <Card flush>
      <Load query={query}>
        {(data) =>
          data.runs.length ? (
            <Cells
              key={String(isCoarse)}
              data={data}
              rowPx={isCoarse ? ROW_PX.coarse : ROW_PX.fine}
            />
          ) : (
            <Empty title="This graph has not run yet">Its runs appear here, a column each.</Empty>
          )
        }
      </Load>
    </Card>
  );
}

/** A cell and what is between cells; for fingers a cell has the 24 pixels of WCAG 2.5.8. */
const ROW_PX = { fine: 20, coarse: 28 };

/** Every so many runs have their time above them, counted from the newest. */
const NAMED = 5;
const DAY_MS = 86_400_000;

type GridRun = Grid["runs"][number];

/** What a run is for, or when it was made. */
function whenOf({ scheduledFor, createdAt }: GridRun): string {
  return scheduledFor ?? createdAt;
}

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

/** Only the rows in sight exist: a thousand nodes in thirty runs would be thirty thousand cells. */
function Cells({ data, rowPx }: { data: Grid; rowPx: number }) {
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: data.nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 20,
  });
  const rows = virtual.getVirtualItems();
  const above = rows[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (rows.at(-1)?.end ?? 0);
  // The oldest first, as in the strip of last runs; a narrow frame begins at the newest.
  const runs = useMemo(() => [...data.runs].reverse(), [data.runs]);
  useLayoutEffect(() => {
    const frame = scroller.current;
    if (frame) frame.scrollLeft = frame.scrollWidth;
  }, []);
  const used = new Set(Object.values(data.cells).flatMap((cells) => Object.values(cells)));
  return (
    <>
      <div ref={scroller} className="scroll-thin max-h-[70vh] overflow-auto">
        <table onKeyDown={moveInGrid} className="border-separate border-spacing-0 pr-4">
          <thead>
            <tr>
              <th className="sticky top-0 left-0 z-20 min-w-28 border-b sm:min-w-44 border-line bg-surface px-4 py-2 text-left align-bottom text-xs font-medium text-ink-2">
                Node
              </th>
              {runs.map((run, index) => (
                <th
                  key={run.executionId}
                  scope="col"
                  className="sticky top-0 z-10 border-b border-line bg-surface px-0.5 pt-6 pb-2 align-bottom"
                >
                  {(runs.length - 1 - index) % NAMED === 0 && (
                    <span
                      className={`num absolute top-1 text-2xs font-normal whitespace-nowrap text-ink-2 ${index < 2 ? "left-0.5" : "right-0.5"}`}
                    >
                      {timeOf(run, runs)}
                    </span>
                  )}
                  <Link
                    to="/runs/$id"
                    params={{ id: run.executionId }}
                    data-column={index}
                    aria-label={`Run of ${clock(whenOf(run), Date.now())}, ${lookOf(run.state).word}`}
                    title={`${clock(whenOf(run), Date.now())}, ${lookOf(run.state).word}\n${utc(whenOf(run))}`}
                    className={`block h-7 w-4 rounded-sm pointer-coarse:w-6 ${lookOf(run.state).fill}`}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <tr style={{ height: above }} />}
            {rows
              .map((row) => data.nodes[row.index] as string)
              .map((node) => (
                <tr key={node} className="hover:bg-sunken" style={{ height: rowPx }}>
                  <th
                    scope="row"
                    className="sticky left-0 max-w-32 bg-surface sm:max-w-56 px-4 py-0.5 text-left font-normal"
                  >
                    <Name text={node} />
                  </th>
                  {runs.map((run, column) => {
                    const state = data.cells[run.executionId]?.[node];
                    return (
                      <td key={run.executionId} className="px-0.5 py-0.5">
                        {state && (
                          <button
                            type="button"
                            tabIndex={-1}
                            data-column={column}
                            aria-label={`${node}: ${lookOf(state).word}`}
                            title={`${node}: ${lookOf(state).word}`}
                            onClick={() =>
                              void navigate({
                                to: "/runs/$id",
                                params: { id: run.executionId },
                                search: { tab: "graph", node } as never,
                              })
                            }
                            className={`block size-4 rounded-sm pointer-coarse:size-6 hover:opacity-70 ${lookOf(state).fill}`}
                          />
                        )}
                      </td>
                    );
                  })}
                </tr>
              ))}
            {below > 0 && <tr style={{ height: below }} />}
          </tbody>
        </table>
      </div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-xs text-ink-2">
        {[...STATES, ...NODE_STATES]
          .filter((state) => used.has(state))
          .map((state) => (
            <li key={state} className="flex items-center gap-1.5">
              <span className={`size-2.5 rounded-sm ${lookOf(state).fill}`} />
              {lookOf(state).word}
            </li>
          ))}
      </ul>
    </>
  );
}
