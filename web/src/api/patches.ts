/** What the stream tells, written into what is on the pages; what did not change stays the same. */
import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import { keys } from "./keys";
import type { Page, Queue, Run, Worker } from "./types";

/** What the stream tells about, by the names of its events. */
export interface Things {
  run: Run;
  queue: Queue;
  worker: Worker;
}

export type Kind = keyof Things;

/** What was told about a thing, if anything. */
export type ChangeOf<T> = (id: string) => Partial<T> | undefined;
export type Changes = { [K in Kind]: ChangeOf<Things[K]> };

type Writer = (data: unknown, changes: Changes, key: QueryKey) => unknown;

const RUN = keys.run("");
const WRITERS = new Map<unknown, Writer>([
  [keys.runs[0], (data, { run }) => patchPages(data as InfiniteData<Page<Run>>, run)],
  [
    RUN[0],
    (data, { run }, key) => (key.length === RUN.length ? patchPageOf(data as Run, run) : data),
  ],
  [keys.queues[0], (data, { queue }) => patchPage(data as Page<Queue>, "name", queue)],
  [keys.workers[0], (data, { worker }) => patchPage(data as Page<Worker>, "id", worker)],
]);

/** The data of a question with the changes in it; the same object if it shows none of them. */
export function withChanges(key: QueryKey, data: unknown, changes: Changes): unknown {
  const write = WRITERS.get(key[0]);
  return write && data ? write(data, changes, key) : data;
}

function patchPages(data: InfiniteData<Page<Run>>, changeOf: ChangeOf<Run>) {
  const pages = eachKept(data.pages, (page) => {
    const items = eachKept(page.items, (run) => patchOne(run, changeOf));
    return items === page.items ? page : { ...page, items };
  });
  return pages === data.pages ? data : { ...data, pages };
}

function patchPage<T extends object>(page: Page<T>, id: keyof T, changeOf: ChangeOf<T>): Page<T> {
  const changed = eachKept(page.items, (item) => {
    const change = changeOf(String(item[id]));
    return change ? patched(item, change) : item;
  });
  const items = changed.filter((item) => !isGone(item));
  return changed === page.items && items.length === changed.length ? page : { ...page, items };
}

/** A queue or a worker that is not there any more. */
export function isGone(thing: object): boolean {
  return "gone" in thing && thing.gone === true;
}

function patchOne(run: Run, changeOf: ChangeOf<Run>): Run {
  const change = changeOf(run.executionId);
  return change ? patched(run, withTraceback(run, change)) : run;
}

/**
 * The page of a run also tells what may be done to it, which a change does not. In a new state the old
 * verbs are refused, so there are none until all of the page is answered anew (`live.ts`).
 */
function patchPageOf(run: Run, changeOf: ChangeOf<Run>): Run {
  const patched = patchOne(run, changeOf);
  return hasTurned(run, changeOf(run.executionId)) ? { ...patched, verbs: [] } : patched;
}

/** Whether a run is in another state than the one that is shown. */
export function hasTurned(run: Run, change: Partial<Run> | undefined): boolean {
  const state = change?.state ?? change?.status;
  return state !== undefined && state !== run.state;
}

/** Changes tell errors without their tracebacks; one that is known stays, others are asked for. */
function withTraceback(run: Run, change: Partial<Run>): Partial<Run> {
  const { error } = change;
  if (!error) return change;
  const isKnown = run.error?.type === error.type && run.error.message === error.message;
  return { ...change, error: isKnown ? run.error : { ...error, traceback: "" } };
}

/** A change may name only what changed, so nothing may be filled in for what it leaves out. */
function patched<T extends object>(item: T, change: Partial<T>): T {
  const names = Object.keys(change) as (keyof T)[];
  return names.every((name) => item[name] === change[name]) ? item : { ...item, ...change };
}

/** The same array if each of its items stayed the same. */
function eachKept<T>(items: T[], change: (item: T) => T): T[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}
