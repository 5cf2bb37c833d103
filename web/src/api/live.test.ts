import { type InfiniteData, QueryClient } from "@tanstack/react-query";
import { describe, expect, it, vi } from "vitest";
import { Live } from "./live";
import type { LogLine, Page, Run } from "./types";

function given(...ids: string[]) {
  const cache = new QueryClient();
  const items = ids.map((executionId) => ({ executionId, state: "queued", jobId: "a" }) as Run);
  cache.setQueryData<InfiniteData<Page<Run>>>(["runs", {}], {
    pages: [{ items, next: null }],
    pageParams: [null],
  });
  const frames: (() => void)[] = [];
  const live = new Live(cache, (flush) => frames.push(flush));
  const send = (event: string, data: object) =>
    live.take({ id: "1", event, data: JSON.stringify(data) });
  const shown = () =>
    cache.getQueryData<InfiniteData<Page<Run>>>(["runs", {}])?.pages[0]?.items ?? [];
  return { cache, frames, live, send, shown };
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
    const { cache, frames, send } = given();
    cache.setQueryData(["run", "1"], { executionId: "1", state: "queued", args: { a: 1 } });
    send("run", { executionId: "1", progress: 5 });
    frames[0]?.();
    expect(cache.getQueryData(["run", "1"])).toEqual({
      executionId: "1",
      state: "queued",
      args: { a: 1 },
      progress: 5,
    });
  });

  it("take a worker that is gone off the list", () => {
    const { cache, frames, send } = given();
    cache.setQueryData(["workers"], { items: [{ id: "a" }, { id: "b" }], next: null });
    send("worker", { id: "a", gone: true });
    frames[0]?.();
    expect(cache.getQueryData(["workers"])).toEqual({ items: [{ id: "b" }], next: null });
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
    const leave = live.followLog("r", (lines) => seen.push(lines));
    send("log", { executionId: "r", seq: 1, text: "a" });
    send("log", { executionId: "r", seq: 2, text: "b" });
    send("log", { executionId: "elsewhere", seq: 3, text: "c" });
    frames[0]?.();
    leave();
    expect(seen.map((lines) => lines.map((line) => line.text))).toEqual([["a", "b"]]);
  });
});
