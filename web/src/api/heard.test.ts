import {
  InfiniteQueryObserver,
  notifyManager,
  QueryClient,
  QueryObserver,
} from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Live } from "./live";
import { queues, run, runs, workers } from "./queries";
import { REFRESH_MS } from "./refresh";
import type { Page, Run } from "./types";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A server that answers when a test says so, and a stream that tells what a test says. */
function given() {
  const waiting: { url: string; answer: (document: object) => Promise<void> }[] = [];
  vi.stubGlobal("fetch", (url: string, { signal }: RequestInit) => {
    return new Promise<Response>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
      const answer = async (document: object) => {
        resolve(Response.json(document));
        await vi.advanceTimersByTimeAsync(0);
      };
      waiting.push({ url, answer });
    });
  });
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const frames: (() => void)[] = [];
  const live = new Live(cache, (flush) => frames.push(flush));
  const hear = (event: string, data: object) =>
    live.take({ id: "1", event, data: JSON.stringify(data) });
  const frame = async () => {
    for (const each of frames.splice(0)) each();
    await vi.advanceTimersByTimeAsync(0);
  };
  return {
    cache,
    hear,
    /** Heard, and written into what is there. */
    tell: async (event: string, data: object) => {
      hear(event, data);
      await frame();
    },
    frame,
    waiting,
    next: async () => {
      await vi.advanceTimersByTimeAsync(0);
      const asked = waiting.shift();
      if (!asked) throw new Error("nothing was asked");
      return asked.answer;
    },
  };
}

const of = (state: string) => ({ executionId: "1", state }) as Run;
const told = (status: string) => ({ executionId: "1", status });
const listing = (...items: object[]) => ({ items, next: null });

/** The states that a page draws, one after the other: it looks when all has been written. */
function watchRun(cache: QueryClient) {
  const observer = new QueryObserver(cache, { ...run("1"), refetchInterval: false });
  const states: string[] = [];
  const look = () => {
    const { data } = observer.getCurrentResult();
    if (data && states.at(-1) !== data.state) states.push(data.state);
  };
  observer.subscribe(notifyManager.batchCalls(look));
  return { states, again: () => void observer.refetch() };
}

describe("an answer and a change", () => {
  it("asked, changed, heard, answered: what was heard stays", async () => {
    const { cache, tell, next } = given();
    const { states, again } = watchRun(cache);
    await (await next())(of("queued"));
    again();
    const answer = await next();
    await tell("run", told("running"));
    await answer(of("queued"));
    expect(states).toEqual(["queued", "running"]);
  });

  it("asked, heard, answered, before anything was shown: what was heard is shown", async () => {
    const { cache, tell, next } = given();
    const { states } = watchRun(cache);
    const answer = await next();
    await tell("run", told("success"));
    await answer(of("running"));
    expect(states).toEqual(["success"]);
  });

  it("heard, asked, answered, written: the answer is newer than what was heard before it", async () => {
    const { cache, hear, frame, next } = given();
    const { states, again } = watchRun(cache);
    await (await next())(of("queued"));
    hear("run", told("running"));
    again();
    await (await next())(of("success"));
    await frame();
    expect(states).toEqual(["queued", "success"]);
  });

  it("asked, heard twice, answered: the last one counts, and nothing goes back", async () => {
    const { cache, tell, next } = given();
    const { states, again } = watchRun(cache);
    await (await next())(of("queued"));
    again();
    const answer = await next();
    await tell("run", told("running"));
    await tell("run", told("success"));
    await answer(of("queued"));
    expect(states).toEqual(["queued", "running", "success"]);
  });

  it("the next answer is believed again", async () => {
    const { cache, tell, next } = given();
    const { states, again } = watchRun(cache);
    const answer = await next();
    await tell("run", told("running"));
    await answer(of("queued"));
    again();
    await (await next())(of("success"));
    expect(states).toEqual(["running", "success"]);
  });

  it("hold in lists, in queues and in workers as well", async () => {
    const { cache, tell, next } = given();
    const asked = [queues(), workers()].map((each) => cache.fetchQuery(each as never));
    const [answerQueues, answerWorkers] = [await next(), await next()];
    await tell("queue", { name: "mail", queued: 7 });
    await tell("worker", { id: "w", gone: true });
    await answerQueues(listing({ name: "mail", queued: 3 }, { name: "etl", queued: 1 }));
    await answerWorkers(listing({ id: "w" }, { id: "v" }));
    await Promise.all(asked);
    expect(cache.getQueryData(queues().queryKey)?.items).toMatchObject([
      { name: "mail", queued: 7 },
      { name: "etl", queued: 1 },
    ]);
    expect(cache.getQueryData(workers().queryKey)?.items).toEqual([{ id: "v" }]);
  });

  it("a worker that was gone and is back is listed", async () => {
    const { cache, tell, next } = given();
    const asked = cache.fetchQuery(workers());
    const answer = await next();
    await tell("worker", { id: "w", gone: true });
    await tell("worker", { id: "w", busy: 2 });
    await answer(listing({ id: "w", busy: 0 }));
    await asked;
    expect(cache.getQueryData(workers().queryKey)?.items).toEqual([{ id: "w", busy: 2 }]);
  });

  it("rows that were there stay as heard when a further page comes", async () => {
    const { cache, hear, tell, next } = given();
    const list = new InfiniteQueryObserver(cache, runs({}));
    list.subscribe(() => undefined);
    await (await next())({ items: [of("queued")], next: "more" });
    hear("run", told("running"));
    void list.fetchNextPage();
    const answer = await next();
    await tell("run", { executionId: "2", status: "success" });
    await answer(listing({ executionId: "2", state: "running" }));
    const shown = cache.getQueryData(runs({}).queryKey)?.pages as Page<Run>[];
    expect(shown.flatMap((page) => page.items).map(({ state }) => state)).toEqual([
      "running",
      "success",
    ]);
  });
});

describe("what was heard", () => {
  it("is forgotten when no answer is under way that could lack it", async () => {
    const { cache, tell, next } = given();
    const { again } = watchRun(cache);
    const answer = await next();
    await tell("run", told("running"));
    await answer(of("queued"));
    await tell("run", { executionId: "other", progress: 1 });
    cache.setQueryData(run("1").queryKey, of("failed"));
    await tell("run", { executionId: "other", progress: 2 });
    expect(cache.getQueryData(run("1").queryKey)?.state).toBe("failed");
    again();
  });

  it("leaves a list as old as it was: it does not tell which rows belong there by now", async () => {
    const { cache, tell } = given();
    const { queryKey } = runs({});
    cache.setQueryData(queryKey, { pages: [listing(of("queued")) as never], pageParams: [null] });
    const before = cache.getQueryState(queryKey)?.dataUpdatedAt;
    vi.advanceTimersByTime(1_000);
    await tell("run", told("running"));
    expect(cache.getQueryState(queryKey)?.dataUpdatedAt).toBe(before);
  });
});

describe("asking again after changes", () => {
  it("lets an answer that takes long arrive, and then asks once more", async () => {
    const { cache, tell, next, waiting } = given();
    const { states, again } = watchRun(cache);
    await (await next())(of("queued"));
    again();
    const answer = await next();
    for (let round = 0; round < 4; round++) {
      await tell("run", { executionId: "1", progress: round });
      await vi.advanceTimersByTimeAsync(REFRESH_MS);
    }
    expect(waiting, "nothing was asked beside it").toHaveLength(0);
    await answer(of("running"));
    expect(states).toEqual(["queued", "running"]);
    await vi.advanceTimersByTimeAsync(REFRESH_MS);
    await (await next())(of("success"));
    expect(states).toEqual(["queued", "running", "success"]);
  });

  it("asks once when the stream is there, and again when it is back", async () => {
    const { cache, tell, next, waiting } = given();
    watchRun(cache);
    await (await next())(of("queued"));
    await tell("ready", {});
    await vi.advanceTimersByTimeAsync(REFRESH_MS);
    await (await next())(of("queued"));
    expect(waiting).toHaveLength(0);
    await tell("ready", {}); // what people changed in between is not told again
    await vi.advanceTimersByTimeAsync(REFRESH_MS);
    await (await next())(of("queued"));
    await vi.advanceTimersByTimeAsync(REFRESH_MS);
    expect(waiting).toHaveLength(0);
  });
});
