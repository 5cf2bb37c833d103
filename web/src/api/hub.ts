/**
 * One stream for all tabs of a browser: each allows six connections to a server, and no more.
 *
 * A tab says what it wants to hear and is told what the stream tells. Tabs of another session have a
 * stream of their own: what one person may see is not for another one.
 */
import { EventStream, type ServerEvent, type StreamState } from "./stream";

/** What a tab says: all that it wants, whenever that changes, and now and then that it is there. */
export type Said =
  | { kind: "want"; url: string; headers: Record<string, string>; topics: string[] }
  | { kind: "wake" }
  | { kind: "leave" };

/** What a tab is told. */
export type Told =
  | { kind: "event"; event: ServerEvent }
  | { kind: "state"; state: StreamState }
  | { kind: "refused"; status: number }
  | { kind: "reset" }
  | { kind: "gap" };

export interface Tab {
  postMessage: (told: Told) => void;
}

type Wants = Extract<Said, { kind: "want" }>;

/** Runs whose lines one stream follows; the server refuses more. */
const MOST_LOGS = 5;
/** Whose lines the stream does not tell is told so often to read them. */
const GAP_MS = 3_000;
/** A tab says every half minute that it is there; one that was shut down says nothing. */
export const HERE_MS = 30_000;
const SILENT_MS = 5 * HERE_MS;

export class Hub {
  private readonly rooms = new Map<string, Room>();
  private readonly places = new Map<Tab, Room>();

  constructor(private readonly now: () => number = Date.now) {}

  hear(tab: Tab, said: Said): void {
    if (said.kind === "want") this.take(tab, said);
    else if (said.kind === "leave") this.leave(tab);
    else this.places.get(tab)?.wake();
  }

  /** Tabs that are gone without a word; their topics would stay for ever. */
  sweep(): void {
    for (const [tab, room] of this.places) {
      if (room.heardAt(tab) < this.now() - SILENT_MS) this.leave(tab);
    }
  }

  private take(tab: Tab, wants: Wants): void {
    const key = JSON.stringify([wants.url, wants.headers]);
    const room = this.rooms.get(key) ?? new Room(wants, this.now);
    if (this.places.get(tab) !== room) this.leave(tab);
    this.rooms.set(key, room);
    this.places.set(tab, room);
    room.take(tab, wants.topics);
  }

  private leave(tab: Tab): void {
    const room = this.places.get(tab);
    this.places.delete(tab);
    if (room?.leave(tab)) return;
    for (const [key, each] of this.rooms) if (each === room) this.rooms.delete(key);
  }
}

interface Member {
  topics: string[];
  at: number;
}

/** The tabs of one session, and their stream. */
class Room {
  /** The one that changed its wish last comes last. */
  private readonly members = new Map<Tab, Member>();
  private readonly stream: EventStream;
  private asked: string[] = [];
  private state: StreamState = "stopped";
  private gaps: ReturnType<typeof setInterval> | null = null;

  constructor(
    wants: Wants,
    private readonly now: () => number,
  ) {
    this.stream = new EventStream({
      url: () => `${wants.url}?topics=${encodeURIComponent(this.asked.join(","))}`,
      headers: () => wants.headers,
      onEvent: (event) => this.tell({ kind: "event", event }),
      onReset: () => this.tell({ kind: "reset" }),
      onRefused: (status) => this.tell({ kind: "refused", status }),
      onState: (state) => {
        this.state = state;
        this.tell({ kind: "state", state });
      },
    });
  }

  heardAt(tab: Tab): number {
    return this.members.get(tab)?.at ?? 0;
  }

  /** Who comes while the stream is there begins with it, as if it had begun now. */
  take(tab: Tab, topics: string[]): void {
    const before = this.members.get(tab);
    if (before?.topics.join() !== topics.join()) this.members.delete(tab);
    this.members.set(tab, { topics, at: this.now() });
    const isMore = this.chooseTopics();
    if (this.state === "stopped" || isMore) {
      this.stream.restart();
      return;
    }
    tab.postMessage({ kind: "state", state: this.state });
    const ready = { id: null, event: "ready", data: "{}" };
    if (!before && this.state === "live") tab.postMessage({ kind: "event", event: ready });
  }

  /** Answers whether anybody is left. */
  leave(tab: Tab): boolean {
    this.members.delete(tab);
    if (this.members.size > 0) {
      this.chooseTopics();
      return true;
    }
    if (this.gaps) clearInterval(this.gaps);
    this.stream.close();
    return false;
  }

  wake(): void {
    if (this.state === "waiting") this.stream.restart();
  }

  /** Answers whether the stream does not tell all of them yet; what nobody wants does no harm. */
  private chooseTopics(): boolean {
    const all = new Set([...this.members.values()].reverse().flatMap(({ topics }) => topics));
    const logs = [...all].filter(isLog);
    const plain = [...all].filter((each) => !isLog(each));
    const chosen = [...plain, ...logs.slice(0, MOST_LOGS)];
    if (logs.length > MOST_LOGS) this.gaps ??= setInterval(() => this.tellGaps(), GAP_MS);
    else if (this.gaps) {
      clearInterval(this.gaps);
      this.gaps = null;
    }
    if (chosen.every((each) => this.asked.includes(each))) return false;
    this.asked = chosen;
    return true;
  }

  private tellGaps(): void {
    for (const [tab, { topics }] of this.members) {
      if (topics.some((each) => !this.asked.includes(each))) tab.postMessage({ kind: "gap" });
    }
  }

  private tell(told: Told): void {
    for (const tab of this.members.keys()) tab.postMessage(told);
  }
}

function isLog(topic: string): boolean {
  return topic.startsWith("logs:");
}
