import { QueryClient, type QueryKey } from "@tanstack/react-query";
import { afterEach, describe, expect, it, vi } from "vitest";
import { keys } from "./keys";
import { Live } from "./live";
import { nodes, run, runs, workers } from "./queries";
import type { LogLine, Run } from "./types";

function given(...ids: string[]) {
  const cache = new QueryClient();
  const items = ids.map((executionId) => ({ executionId, state: "queued", jobId: "a" }) as Run);
  cache.setQueryData(runs({}).queryKey, {
    pages: [{ items, next: null }],
    pageParams: [null],
  });
  const frames: (() => void)[] = [];
  const live = new Live(cache, (flush) => frames.push(flush));
  const send = (event: string, data: object) =>
    live.take({ id: "1", event, data: JSON.stringify(data) });
  const put = ({ queryKey }: { queryKey: QueryKey }, data: object) =>
    cache.setQueryData<unknown>(queryKey, data);
  const shown = () => cache.getQueryData(runs({}).queryKey)?.pages[0]?.items ?? [];
  return { cache, frames, live, put, send, shown };
}

describe("live changes", () => {
  it("are put into lists once a frame, however many come", () => {
    const { frames, send, shown, cache } = given("1", "2");
    const writes = vi.fn();
    cache.getQueryCache().subscribe((event) => event.type === "updated" && writes());

    for (let index = 0; index < 500; index++) send("run", { executionId: "1", progress: index });
    send("run", { executionId: "1", status: "running" });
    expect(shown()[0]?.state).toBe("queued");
    expect(frames).toHaveLength(1);
    frames[0]?.();

    expect(shown()[0]).toMatchObject({ state: "running", progress: 499, jobId: "a" });
    expect(writes.mock.calls.length).toBeLessThan(5);
  });

  it("leave rows that did not change as they are, so that they are not drawn again", () => {
    const { frames, send, shown } = given("1", "2");
    const before = shown();
    send("run", { executionId: "1", status: "running" });
    frames[0]?.();
    expect(shown()[1]).toBe(before[1]);
    expect(shown()[0]).not.toBe(before[0]);
  });

  it("do not touch a list that shows none of them", () => {
    const { frames, send, shown } = given("1");
    const before = shown();
    send("run", { executionId: "other", status: "running" });
    frames[0]?.();
    expect(shown()).toBe(before);
  });

  it("reach the page of a run without what they do not name", () => {
    const { cache, frames, put, send } = given();
    put(run("1"), { executionId: "1", state: "queued", args: { a: 1 } });
    send("run", { executionId: "1", progress: 5 });
    frames[0]?.();
    expect(cache.getQueryData(run("1").queryKey)).toEqual({
      executionId: "1",
      state: "queued",
      args: { a: 1 },
      progress: 5,
    });
  });

  it("of the state of a run take its old verbs away and ask for its whole page at once", () => {
    const { cache, frames, put, send } = given("1");
    put(run("1"), { executionId: "1", state: "running", verbs: ["cancel"] });
    put(nodes("1"), { verbs: ["pause"] });
    send("run", { executionId: "1", status: "failed", progress: 7 });
    frames[0]?.();
    expect(cache.getQueryData(run("1").queryKey)).toMatchObject({ state: "failed", verbs: [] });
    for (const each of [run("1"), nodes("1")])
      expect(cache.getQueryState(each.queryKey)?.isInvalidated).toBe(true);
  });

  it("that tell of an error keep the traceback of the same one, and have none of another", () => {
    const { cache, frames, put, send } = given();
    const error = { type: "ValueError", message: "no", traceback: "line 1" };
    put(run("1"), { executionId: "1", error });
    send("run", { executionId: "1", error: { type: "ValueError", message: "no" } });
    frames[0]?.();
    expect(cache.getQueryData(run("1").queryKey)).toMatchObject({ error });
    send("run", { executionId: "1", error: { type: "KeyError", message: "a" } });
    frames[1]?.();
    expect(cache.getQueryData(run("1").queryKey)).toMatchObject({ error: { traceback: "" } });
  });

  it("take a worker that is gone off the list", () => {
    const { cache, frames, put, send } = given();
    put(workers(), { items: [{ id: "a" }, { id: "b" }], next: null });
    send("worker", { id: "a", gone: true });
    frames[0]?.();
    expect(cache.getQueryData(workers().queryKey)).toEqual({ items: [{ id: "b" }], next: null });
  });

  it("stop with the database, and all is asked for again when it is back", () => {
    const { cache, live, send } = given("1");
    send("outage", {});
    expect(live.state).toBe("away");
    expect(live.isWithoutDatabase).toBe(true);
    send("back", {});
    expect(live.state).toBe("live");
    expect(cache.getQueryState(runs({}).queryKey)?.isInvalidated).toBe(true);
  });

  it("of definitions make pages ask for them again, those of acts only the audit", () => {
    vi.useFakeTimers();
    const { cache, send } = given();
    const shown = [keys.schedules, keys.job("a"), keys.run("1"), keys.calendars, keys.tokens];
    for (const key of [...shown, keys.audit]) cache.setQueryData(key, {});
    const isOld = (key: QueryKey) => cache.getQueryState(key)?.isInvalidated;
    send("changed", { onlyActs: true });
    vi.advanceTimersByTime(3_000);
    expect([...shown, keys.audit].map(isOld)).toEqual([...shown.map(() => false), true]);
    send("changed", { onlyActs: false });
    vi.advanceTimersByTime(3_000);
    vi.useRealTimers();
    expect(shown.map(isOld)).toEqual(shown.map(() => true));
  });

  it("that are no JSON are passed over", () => {
    const { frames, live } = given("1");
    live.take({ id: "1", event: "run", data: "{" });
    expect(frames).toHaveLength(0);
  });

  it("of a log go to who follows it, in one piece", () => {
    const { frames, live, send } = given();
    live.state = "stopped";
    const seen: LogLine[][] = [];
    const leave = live.followLog("r", {
      onLines: (lines) => seen.push(lines),
      onGap: () => undefined,
    });
    send("log", { executionId: "r", seq: 1, text: "a" });
    send("log", { executionId: "r", seq: 2, text: "b" });
    send("log", { executionId: "elsewhere", seq: 3, text: "c" });
    frames[0]?.();
    leave();
    expect(seen.map((lines) => lines.map((line) => line.text))).toEqual([["a", "b"]]);
  });

  it("tell who follows a log when lines may have passed: a new stream begins later", () => {
    const { live, send } = given();
    live.state = "stopped";
    const onGap = vi.fn();
    const leave = live.followLog("r", { onLines: () => undefined, onGap });
    send("ready", {});
    expect(onGap).toHaveBeenCalledOnce();
    leave();
    send("ready", {});
    expect(onGap).toHaveBeenCalledOnce();
  });

  it("of an error leave the traceback that is known, and never make one without", () => {
    const { cache, frames, put, send } = given("1");
    const error = { type: "ValueError", message: "no", traceback: "line 1\nline 2" };
    put(run("1"), { executionId: "1", state: "running", error: null });
    send("run", { executionId: "1", error: { type: "ValueError", message: "no" } });
    frames[0]?.();
    const told = () => cache.getQueryData<Run>(run("1").queryKey)?.error;
    expect(told()).toEqual({ ...error, traceback: "" });

    put(run("1"), { executionId: "1", state: "failed", error });
    send("run", { executionId: "1", error: { type: "ValueError", message: "no" } });
    frames[1]?.();
    expect(told()).toEqual(error);
  });

  it("ask for a list again, unless somebody has scrolled far down in it", () => {
    vi.useFakeTimers();
    const { cache, frames, send } = given("1");
    const asked = vi.spyOn(cache, "invalidateQueries");
    const page = { items: [], next: "more" };
    cache.setQueryData([...keys.runs, "deep"], { pages: Array(6).fill(page), pageParams: [] });
    send("run", { executionId: "1", status: "running" });
    frames[0]?.();
    vi.advanceTimersByTime(3_000);
    vi.useRealTimers();
    expect(asked).toHaveBeenCalled();
    expect(cache.getQueryState(runs({}).queryKey)?.isInvalidated).toBe(true);
    expect(cache.getQueryState([...keys.runs, "deep"])?.isInvalidated).toBe(false);
  });
});

describe("a page that nobody looks at", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("takes changes in without waiting for a frame, which would not come", () => {
    vi.useFakeTimers();
    vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    const cache = new QueryClient();
    cache.setQueryData<unknown>(run("1").queryKey, { executionId: "1", state: "queued" });
    const live = new Live(cache);
    live.take({ id: "1", event: "run", data: '{"executionId":"1","status":"running"}' });
    vi.advanceTimersByTime(150);
    expect(cache.getQueryData(run("1").queryKey)?.state).toBe("running");
  });
});

describe("a stream that is refused", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** Statuses by what is asked for; none means that the server cannot be reached. */
  async function refused(other: number | null) {
    vi.useFakeTimers();
    const streams = vi.fn();
    vi.stubGlobal("fetch", (url: string) => {
      const isStream = url.includes("/events");
      if (isStream) streams();
      if (!isStream && other === null) return Promise.reject(new TypeError("cut"));
      return Promise.resolve(new Response("{}", { status: isStream ? 401 : (other ?? 0) }));
    });
    const leave = new Live(new QueryClient()).start();
    await vi.advanceTimersByTimeAsync(10_000);
    leave();
    return streams.mock.calls.length;
  }

  it("is asked for once a second at most where other questions are answered", async () => {
    const times = await refused(200);
    expect(times).toBeGreaterThan(2);
    expect(times).toBeLessThanOrEqual(11);
  });

  it("is asked for again when the server could not be reached to tell who we are", async () => {
    expect(await refused(null)).toBeGreaterThan(2);
  });

  it("is not asked for again by who is signed out", async () => {
    expect(await refused(401)).toBe(1);
  });
});
