/**
 * Live changes into the query cache.
 *
 * Events are gathered and put into the cache ten times a second, so that 500 cost as much as one.
 * What is already on the screen is patched in place; whether lists must show other rows is the
 * server's to say, so they are asked for again, but not more often than every few seconds.
 */
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { address, ask, csrfHeader, isGone, mayBeBack } from "./client";
import { Heard } from "./heard";
import { DEFINED, keys } from "./keys";
import { hasTurned } from "./patches";
import { Refresher } from "./refresh";
import { Source } from "./source";
import type { ServerEvent, StreamState } from "./stream";
import type { LogLine, Queue, Run, State, Worker } from "./types";

type Listener = () => void;

/** Who reads the log of a run while it is written. */
export interface Follower {
  onLines: (lines: LogLine[]) => void;
  /** Lines may have passed unseen: what is stored has to be read on from where one was. */
  onGap: () => void;
}

/** What a queue or a worker is called that is not there any more. */
interface Gone {
  id: string;
}

/** Eyes do not follow more than ten changes a second; frames are for scrolling. */
const GATHER_MS = 100;

/** What runs are counted in, or listed. */
const FED = [keys.runs, keys.jobs, keys.graphs, keys.overview];

/** Away: the server is there, its database is not. */
export type LiveState = StreamState | "away";

const UNKNOWN = 401;
/** A stream that is refused where others are not must not be asked for without end. */
const AGAIN_MS = 1_000;
const UNAVAILABLE = 503;

export class Live {
  state: LiveState = "connecting";
  /** Whether the server said that it cannot read its database, since it was last heard well. */
  isWithoutDatabase = false;
  private readonly source: Source;
  private readonly listeners = new Set<Listener>();
  private readonly topics = new Map<string, number>();
  private readonly followers = new Map<string, Set<Follower>>();
  private readonly heard: Heard;
  private readonly refresher: Refresher;
  /** Of which something was heard since the last frame. */
  private old = new Set<QueryKey>();
  private runs = new Map<string, Partial<Run>>();
  private logs = new Map<string, LogLine[]>();
  private frame: unknown = null;
  private isBegun = false;
  private isAsking = false;
  private hiddenTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly cache: QueryClient,
    private readonly nextFrame: (flush: () => void) => unknown = soon,
  ) {
    this.heard = new Heard(cache);
    this.refresher = new Refresher(cache);
    for (const topic of ["runs", "queues", "workers", "changes"]) this.topics.set(topic, 1);
    this.source = new Source({
      url: () => address("streamEvents"),
      topics: () => [...this.topics.keys()],
      headers: csrfHeader,
      onRefused: (status) => this.onRefused(status),
      onEvent: (event) => this.take(event),
      onReset: () => this.startOver(),
      onState: (state) => this.tell(state),
      onGap: () => this.tellGap(),
    });
  }

  start(): () => void {
    this.source.start();
    const watch = () => this.onVisibility();
    const wake = () => this.wake();
    const close = () => this.source.close();
    document.addEventListener("visibilitychange", watch);
    addEventListener("focus", watch);
    addEventListener("online", wake);
    addEventListener("pagehide", close);
    addEventListener("pageshow", watch);
    return () => {
      document.removeEventListener("visibilitychange", watch);
      removeEventListener("focus", watch);
      removeEventListener("online", wake);
      removeEventListener("pagehide", close);
      removeEventListener("pageshow", watch);
      this.source.close();
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
      this.refresher.startOver();
    }
    let data: unknown;
    try {
      data = JSON.parse(event.data);
    } catch {
      return;
    }
    if (!data || typeof data !== "object") return;
    if (event.event === "run") this.takeRun(data as Run);
    else if (event.event === "queue") this.takeQueue(data as Queue);
    else if (event.event === "worker") this.takeWorker(data as Worker);
    else if (event.event === "log") this.takeLog(data as LogLine & { executionId: string });
    else {
      if (event.event === "ready") this.begin();
      if (event.event === "changed") this.takeChange(data as { onlyActs?: boolean });
      return;
    }
    this.frame ??= this.nextFrame(() => this.flush());
  }

  /** A change may name only what changed, so nothing may be filled in for what it leaves out. */
  private takeRun(data: Run): void {
    const state = data.state ?? data.status;
    this.heard.hear("run", data.executionId, state ? { ...data, state: state as State } : data);
    this.runs.set(data.executionId, data);
  }

  private takeQueue(data: Queue & Partial<Gone>): void {
    this.heard.hear("queue", data.name ?? data.id, data);
    this.old.add(keys.queues);
  }

  private takeWorker(data: Worker): void {
    this.heard.hear("worker", data.id, data);
    this.old.add(keys.workers);
  }

  /** It does not say what changed: all that may have is asked for again. */
  private takeChange({ onlyActs }: { onlyActs?: boolean }): void {
    for (const key of onlyActs ? [keys.audit] : [keys.audit, ...DEFINED]) this.refresher.mark(key);
  }

  private takeLog(line: LogLine & { executionId: string }): void {
    const lines = this.logs.get(line.executionId) ?? [];
    lines.push(line);
    this.logs.set(line.executionId, lines);
  }

  /** What happened between the first answers and the first event is told by nobody. */
  private begin(): void {
    if (!this.isBegun) for (const key of [...FED, keys.everyRun]) this.refresher.mark(key);
    this.isBegun = true;
    this.takeChange({});
    this.tellGap();
  }

  /** A stream tells the lines that come after it began, and too many at once are left out. */
  private tellGap(): void {
    for (const followers of this.followers.values()) {
      for (const follower of followers) follower.onGap();
    }
  }

  private startOver(): void {
    this.heard.forget();
    this.refresher.startOver();
    this.tellGap();
  }

  private flush(): void {
    this.frame = null;
    const turned = [...this.runs].filter(([id, change]) => this.turns(id, change));
    this.heard.write();
    for (const [id] of turned) this.refresher.now(keys.run(id));
    for (const [runId, lines] of this.logs) {
      for (const follower of this.followers.get(runId) ?? []) follower.onLines(lines);
    }
    this.logs = new Map();
    this.markOld();
  }

  private markOld(): void {
    for (const [id, { parentId }] of this.runs) {
      for (const known of [id, parentId]) {
        const key = known && keys.run(known);
        if (key && this.cache.getQueryState(key)) this.refresher.mark(key);
      }
    }
    if (this.runs.size) for (const key of FED) this.old.add(key);
    const isFired = [...this.runs.values()].some(({ scheduleId }) => scheduleId);
    if (isFired) for (const key of [keys.schedules, ["schedule"], keys.upcoming]) this.old.add(key);
    for (const key of this.old) this.refresher.mark(key);
    this.runs = new Map();
    this.old = new Set();
  }

  private turns(id: string, change: Partial<Run>): boolean {
    const shown = this.cache.getQueryData<Run>(keys.run(id));
    return shown !== undefined && hasTurned(shown, change);
  }

  private join(topic: string): () => void {
    const count = this.topics.get(topic) ?? 0;
    this.topics.set(topic, count + 1);
    if (count === 0) this.source.change();
    return () => {
      const left = (this.topics.get(topic) ?? 1) - 1;
      if (left > 0) this.topics.set(topic, left);
      else this.topics.delete(topic);
    };
  }

  /** A page that nobody looks at needs no stream. */
  private onVisibility(): void {
    if (this.hiddenTimer) clearTimeout(this.hiddenTimer);
    this.hiddenTimer = null;
    if (!document.hidden) mayBeBack();
    if (document.hidden) {
      if (this.frame) this.flush();
      this.hiddenTimer = setTimeout(() => this.source.close(), this.source.hiddenMs);
    } else if (this.state === "stopped") {
      this.source.start();
      this.refresher.startOver();
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
    this.source.close();
    if (this.isAsking) return;
    this.isAsking = true;
    const goOn = () => {
      this.isAsking = false;
      if (!document.hidden) this.source.start();
    };
    ask("showVersion")
      .catch((error) => {
        if (isGone(error)) throw error;
      })
      .then(
        () => setTimeout(goOn, AGAIN_MS),
        () => {
          this.isAsking = false;
        },
      );
  }

  /** Somebody looks, or the network is back: no reason to wait for the next try. */
  private wake(): void {
    if (this.state === "waiting") this.source.wake();
  }

  private tell(state: LiveState): void {
    this.state = state;
    if (state === "away") this.isWithoutDatabase = true;
    if (state === "live") this.isWithoutDatabase = false;
    for (const listener of this.listeners) listener();
  }
}

/** Where nobody looks there are no frames, and what waits for one would be more and more. */
function soon(flush: () => void): unknown {
  return setTimeout(() => (document.hidden ? flush() : requestAnimationFrame(flush)), GATHER_MS);
}
