/**
 * Live changes into the query cache.
 *
 * Events are gathered and put into the cache ten times a second, so that 500 cost as much as one. What is already on the screen is patched in place; whether lists must show other rows is the
 * server's to say, so they are asked for again, but not more often than every few seconds.
 */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { address } from "./client";
import { EventStream, type ServerEvent, type StreamState } from "./stream";
import type { LogLine, Page, Queue, Run, Worker } from "./types";

type Listener = () => void;

/** A queue or a worker that is not there any more. */
interface Gone {
  id: string;
  gone?: boolean;
}

/** Eyes do not follow more than ten changes a second; frames are for scrolling. */
const GATHER_MS = 100;
const REFRESH_MS = 2_500;
const HIDDEN_MS = 60_000;

export class Live {
  state: StreamState = "connecting";
  private readonly stream: EventStream;
  private readonly listeners = new Set<Listener>();
  private readonly topics = new Map<string, number>();
  private readonly logListeners = new Map<string, Set<(lines: LogLine[]) => void>>();
  private runs = new Map<string, Partial<Run>>();
  private queues = new Map<string, Partial<Queue>>();
  private workers = new Map<string, Partial<Worker>>();
  private logs = new Map<string, LogLine[]>();
  private frame: unknown = null;
  private stale = new Set<string>();
  private refreshTimer: ReturnType<typeof setTimeout> | null = null;
  private hiddenTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly cache: QueryClient,
    private readonly nextFrame: (flush: () => void) => unknown = (flush) =>
      setTimeout(() => requestAnimationFrame(flush), GATHER_MS),
  ) {
    for (const topic of ["runs", "queues", "workers"]) this.topics.set(topic, 1);
    this.stream = new EventStream({
      url: () => address("streamEvents", [], { topics: [...this.topics.keys()].join(",") }),
      onEvent: (event) => this.take(event),
      onReset: () => void this.cache.invalidateQueries(),
      onState: (state) => this.tell(state),
    });
  }

  start(): () => void {
    this.stream.start();
    const watch = () => this.onVisibility();
    document.addEventListener("visibilitychange", watch);
    return () => {
      document.removeEventListener("visibilitychange", watch);
      this.stream.close();
    };
  }

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Lines of one run as they come; the topic is asked for while somebody listens. */
  followLog(runId: string, onLines: (lines: LogLine[]) => void): () => void {
    const listeners = this.logListeners.get(runId) ?? new Set();
    listeners.add(onLines);
    this.logListeners.set(runId, listeners);
    const leave = this.join(`logs:${runId}`);
    return () => {
      listeners.delete(onLines);
      if (listeners.size === 0) this.logListeners.delete(runId);
      leave();
    };
  }

  take(event: ServerEvent): void {
    let data: unknown;
    try {
      data = JSON.parse(event.data);
    } catch {
      return;
    }
    if (!data || typeof data !== "object") return;
    if (event.event === "run") this.takeRun(data as Run);
    else if (event.event === "queue")
      merge(this.queues, (data as Queue).name ?? (data as Gone).id, data as Queue);
    else if (event.event === "worker") merge(this.workers, (data as Worker).id, data as Worker);
    else if (event.event === "log") this.takeLog(data as LogLine & { executionId?: string });
    else return;
    this.frame ??= this.nextFrame(() => this.flush());
  }

  /** A change may name only what changed, so nothing may be filled in for what it leaves out. */
  private takeRun(data: Run): void {
    const state = data.state ?? data.status;
    merge(this.runs, data.executionId, state ? { ...data, state: state as Run["state"] } : data);
  }

  private takeLog(line: LogLine & { executionId?: string }): void {
    const only = this.logListeners.size === 1 ? [...this.logListeners.keys()][0] : undefined;
    const runId = line.executionId ?? only;
    if (runId === undefined) return;
    const lines = this.logs.get(runId) ?? [];
    lines.push(line);
    this.logs.set(runId, lines);
  }

  private flush(): void {
    this.frame = null;
    if (this.runs.size) this.flushRuns();
    if (this.queues.size) this.flushNamed("queues", "name", this.queues);
    if (this.workers.size) this.flushNamed("workers", "id", this.workers);
    for (const [runId, lines] of this.logs) {
      for (const listener of this.logListeners.get(runId) ?? []) listener(lines);
    }
    this.logs = new Map();
    this.queues = new Map();
    this.workers = new Map();
    if (this.stale.size) this.refreshTimer ??= setTimeout(() => this.refresh(), REFRESH_MS);
  }

  private flushRuns(): void {
    const changed = this.runs;
    this.runs = new Map();
    this.cache.setQueriesData<InfiniteData<Page<Run>>>({ queryKey: ["runs"] }, (data) =>
      patchPages(data, changed),
    );
    for (const [id, change] of changed) {
      this.cache.setQueryData<Run>(["run", id], (old) => (old ? { ...old, ...change } : old));
      for (const known of [id, change.parentId]) {
        if (known && this.cache.getQueryState(["run", known])) this.stale.add(`run:${known}`);
      }
    }
    this.stale.add("runs").add("jobs").add("graphs").add("overview");
  }

  private flushNamed<T extends object>(key: string, id: keyof T, changed: Map<string, Partial<T>>) {
    this.cache.setQueriesData<Page<T>>(
      { queryKey: [key] },
      (page) =>
        page && {
          ...page,
          items: patchItems(page.items, id, changed).filter(
            (item) => !(item as Partial<Gone>).gone,
          ),
        },
    );
    this.stale.add(key);
  }

  /** Asks again for what is on the screen; the rest is only marked as old. */
  private refresh(): void {
    this.refreshTimer = null;
    const stale = this.stale;
    this.stale = new Set();
    for (const key of stale) {
      const [name, id] = key.split(":");
      void this.cache.invalidateQueries({ queryKey: id ? [name, id] : [name] });
    }
  }

  private join(topic: string): () => void {
    const count = this.topics.get(topic) ?? 0;
    this.topics.set(topic, count + 1);
    if (count === 0 && this.state !== "stopped") this.stream.restart();
    return () => {
      const left = (this.topics.get(topic) ?? 1) - 1;
      if (left > 0) this.topics.set(topic, left);
      else this.topics.delete(topic);
    };
  }

  /** A page that nobody looks at needs no stream; browsers allow only six connections. */
  private onVisibility(): void {
    if (this.hiddenTimer) clearTimeout(this.hiddenTimer);
    this.hiddenTimer = null;
    if (document.hidden) {
      this.hiddenTimer = setTimeout(() => this.stream.close(), HIDDEN_MS);
    } else if (this.state === "stopped") {
      this.stream.start();
      void this.cache.invalidateQueries();
    }
  }

  private tell(state: StreamState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

function merge<T>(into: Map<string, Partial<T>>, id: string, change: Partial<T>): void {
  if (typeof id === "string") into.set(id, { ...into.get(id), ...change });
}

function patchItems<T extends object>(
  items: T[],
  id: keyof T,
  changed: Map<string, Partial<T>>,
): T[] {
  let touched = false;
  const patched = items.map((item) => {
    const change = changed.get(String(item[id]));
    if (!change) return item;
    touched = true;
    return { ...item, ...change };
  });
  return touched ? patched : items;
}

export function patchPages(
  data: InfiniteData<Page<Run>> | undefined,
  changed: Map<string, Partial<Run>>,
): InfiniteData<Page<Run>> | undefined {
  if (!data?.pages) return data;
  let touched = false;
  const pages = data.pages.map((page) => {
    const items = patchItems(page.items, "executionId", changed);
    if (items === page.items) return page;
    touched = true;
    return { ...page, items };
  });
  return touched ? { ...data, pages } : data;
}
