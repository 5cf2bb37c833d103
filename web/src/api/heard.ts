/**
 * Which one is newer: an answer, or what the stream told?
 *
 * A question that was asked after a change was heard is answered with that change in it. One that was
 * asked before may be answered with what was before it, however late the answer comes. So a change
 * is written into the answers of all questions that were asked before it was heard, into those under
 * way as soon as they are here, and into no other. Questions are counted; no clock is needed.
 *
 * An answer under way may also be newer than the change. Then the next change of that thing is under
 * way, too: what is shown may wait for it, but does not go back.
 */
import type { Query, QueryCacheNotifyEvent, QueryClient } from "@tanstack/react-query";
import { type Changes, isGone, type Kind, type Things, withChanges } from "./patches";

/** An answer that never comes must not cost more and more; what it lacks is asked for anyway. */
const MOST = 5_000;

interface Told {
  /** How many questions had been asked when it was heard. */
  turn: number;
  change: object;
}

type Memory = Record<Kind, Map<string, Told>>;

export class Heard {
  private turn = 0;
  private told = nothing();
  private readonly underWay = new Map<Query, number>();
  /** The turn of the question whose answer a query shows. */
  private readonly shown = new WeakMap<Query, number>();

  constructor(private readonly cache: QueryClient) {
    cache.getQueryCache().subscribe((event) => this.watch(event));
  }

  /** Several changes of one thing are one, unless it was gone meanwhile. */
  hear<K extends Kind>(kind: K, id: string, change: Partial<Things[K]>): void {
    const before = this.told[kind].get(id)?.change;
    const all = before && !isGone(before) ? { ...before, ...change } : change;
    this.told[kind].set(id, { turn: this.turn, change: all });
  }

  /** Writes what was heard into all that is there; keeps what answers under way may lack. */
  write(): void {
    for (const query of this.cache.getQueryCache().getAll()) this.writeInto(query);
    this.forgetOld();
    if (this.size > MOST) this.forget();
  }

  /** Something was missed: what was heard may be older than any answer. */
  forget(): void {
    this.told = nothing();
  }

  /** How many things it remembers. */
  get size(): number {
    return Object.values(this.told).reduce((sum, each) => sum + each.size, 0);
  }

  private watch(event: QueryCacheNotifyEvent): void {
    if (event.type === "removed") this.underWay.delete(event.query);
    if (event.type !== "updated") return;
    const { query, action } = event;
    // What is added to pages is added to those that were there when it was asked for.
    if (action.type === "fetch")
      this.underWay.set(query, action.meta?.fetchMore ? this.turnOf(query) : ++this.turn);
    if (action.type === "success" && !action.manual) this.takeAnswer(query);
  }

  private takeAnswer(query: Query): void {
    this.shown.set(query, this.underWay.get(query) ?? this.turnOf(query));
    this.underWay.delete(query);
    this.writeInto(query);
  }

  private writeInto(query: Query): void {
    const { data, dataUpdatedAt } = query.state;
    const changed = withChanges(query.queryKey, data, this.changesFor(query));
    // It is as old as it was: a change does not tell which rows a list should have by now.
    if (changed !== data) query.setData(changed, { updatedAt: dataUpdatedAt, manual: true });
  }

  private changesFor(query: Query): Changes {
    const asked = this.turnOf(query);
    const of = (kind: Kind) => (id: string) => {
      const told = this.told[kind].get(id);
      return told && told.turn >= asked ? told.change : undefined;
    };
    return { run: of("run"), queue: of("queue"), worker: of("worker") };
  }

  private turnOf(query: Query): number {
    return this.shown.get(query) ?? 0;
  }

  private forgetOld(): void {
    for (const query of this.underWay.keys()) {
      if (query.state.fetchStatus === "idle") this.underWay.delete(query);
    }
    const oldest = Math.min(...this.underWay.values());
    for (const told of Object.values(this.told)) {
      for (const [id, { turn }] of told) if (turn < oldest) told.delete(id);
    }
  }
}

function nothing(): Memory {
  return { run: new Map(), queue: new Map(), worker: new Map() };
}
