/**
 * Live changes into the query cache.
 *
 * Events are gathered and put into the cache ten times a second, so that 500 cost as much as one. What is already on the screen is patched in place; whether lists must show other rows is the
 * server's to say, so they are asked for again, but not more often than every few seconds.
 */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { address, ask, csrfHeader, mayBeBack } from "./client";
import { merge, patched, patchedRun, patchItems, patchPages } from "./patches";
import { EventStream, type ServerEvent, type StreamState } from "./stream";
import type { LogLine, Page, Queue, Run, Worker } from "./types";

type Listener = () => void;

/** Who reads the log of a run while it is written. */
export interface Follower {
  onLines: (lines: LogLine[]) => void;
  /** Lines may have passed unseen: what is stored has to be read on from where one was. */
  onGap: () => void;
}

/** A queue or a worker that is not there any more. */
interface Gone {
  id: string;
  gone?: boolean;
}

/** Eyes do not follow more than ten changes a second; frames are for scrolling. */
const GATHER_MS = 100;
const REFRESH_MS = 2_500;
const HIDDEN_MS = 60_000;

/** Away: the server is there, its database is not. */
export type LiveState = StreamState | "away";

const UNKNOWN = 401;
const UNAVAILABLE = 503;

export class Live {
  state: LiveState = "connecting";
  /** Whether the server said that it cannot read its database, since it was last heard well. */
  isWithoutDatabase = false;
  private readonly stream: EventStream;
  private readonly listeners = new Set<Listener>();
  private readonly topics = new Map<string, number>();
  private readonly followers = new Map<string, Set<Follower>>();
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
      headers: csrfHeader,
      onRefused: (status) => this.onRefused(status),
      onEvent: (event) => this.take(event),
      onReset: () => this.startOver(),
      onState: (state) => this.tell(state),
    });
  }

  start(): () => void {
    this.stream.start();
    const watch = () => this.onVisibility();
    const wake = () => this.wake();
    document.addEventListener("visibilitychange", watch);
    addEventListener("focus", watch);
    addEventListener("online", wake);
    return () => {
      document.removeEventListener("visibilitychange", watch);
      removeEventListener("focus", watch);
      removeEventListener("online", wake);
      this.stream.close();
    };
  }

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Lines of one run as they come; the topic is asked for while somebody listens. */
  followLog(runId: string, follower: Follower): () => void {
    const followers = this.followers.get(runId) ?? new Set();
    followers.add(follower);
    this.followers.set(runId, followers);
    const leave = this.join(`logs:${runId}`);
    return () => {
      followers.delete(follower);
      if (followers.size === 0) this.followers.delete(runId);
      leave();
    };
  }

  take(event: ServerEvent): void {
    if (event.event === "outage") {
      this.tell("away");
      return;
    }
    if (this.state === "away") {
      this.tell("live");
      void this.cache.invalidateQueries();
    }
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
    else if (event.event === "log") this.takeLog(data as LogLine & { executionId: string });
    else {
      if (event.event === "ready") this.tellGap();
      return;
    }
    this.frame ??= this.nextFrame(() => this.flush());
  }

  /** A change may name only what changed, so nothing may be filled in for what it leaves out. */
  private takeRun(data: Run): void {
    const state = data.state ?? data.status;
    merge(this.runs, data.executionId, state ? { ...data, state: state as Run["state"] } : data);
  }

  private takeLog(line: LogLine & { executionId: string }): void {
    const lines = this.logs.get(line.executionId) ?? [];
    lines.push(line);
    this.logs.set(line.executionId, lines);
  }

  /** A stream tells the lines that come after it began, and too many at once are left out. */
  private tellGap(): void {
    for (const followers of this.followers.values()) {
      for (const follower of followers) follower.onGap();
    }
  }

  private startOver(): void {
    void this.cache.invalidateQueries();
    this.tellGap();
  }

  private flush(): void {
    this.frame = null;
    if (this.runs.size) this.flushRuns();
    if (this.queues.size) this.flushNamed("queues", "name", this.queues);
    if (this.workers.size) this.flushNamed("workers", "id", this.workers);
    for (const [runId, lines] of this.logs) {
      for (const follower of this.followers.get(runId) ?? []) follower.onLines(lines);
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
      this.cache.setQueryData<Run>(["run", id], (old) => old && patchedRun(old, change));
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
          items: patchItems(page.items, id, changed, patched).filter(
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
      void this.cache.invalidateQueries({
        queryKey: id ? [name, id] : [name],
        predicate: (query) => !isDeep(query.state.data),
      });
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
    if (!document.hidden) mayBeBack();
    if (document.hidden) {
      this.hiddenTimer = setTimeout(() => this.stream.close(), HIDDEN_MS);
    } else if (this.state === "stopped") {
      this.stream.start();
      void this.cache.invalidateQueries();
    } else {
      this.wake();
    }
  }

  private onRefused(status: number): void {
    this.isWithoutDatabase = status === UNAVAILABLE;
    if (status === UNKNOWN) this.askWhoWeAre();
  }

  /** The client finds out, by any question, whether we are signed out; then nobody asks on. */
  private askWhoWeAre(): void {
    this.stream.close();
    ask("showVersion").then(
      () => this.stream.start(),
      () => undefined,
    );
  }

  /** Somebody looks, or the network is back: no reason to wait for the next try. */
  private wake(): void {
    if (this.state === "waiting") this.stream.restart();
  }

  private tell(state: LiveState): void {
    this.state = state;
    if (state === "away") this.isWithoutDatabase = true;
    if (state === "live") this.isWithoutDatabase = false;
    for (const listener of this.listeners) listener();
  }
}

const DEEP = 5;

/** Who has scrolled far is not at the top, where new rows are; each page of it would be a request. */
function isDeep(data: unknown): boolean {
  return ((data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 0) > DEEP;
}
