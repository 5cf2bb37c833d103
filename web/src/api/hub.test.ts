import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HERE_MS, Hub, type Said, type Told } from "./hub";

/** Streams that stay open; each is kept with what it was asked for. */
function given() {
  const streams: { topics: string[]; token: string | null; say: (text: string) => void }[] = [];
  const open = vi.fn();
  vi.stubGlobal("fetch", (url: string, { headers, signal }: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const say = (text: string) => controller.enqueue(new TextEncoder().encode(text));
        const topics = new URL(url, "http://a").searchParams.get("topics")?.split(",") ?? [];
        const token = new Headers(headers).get("X-CSRF-Token");
        streams.push({ topics, token, say });
        open(1);
        signal?.addEventListener("abort", () => {
          open(-1);
          controller.error(new Error("cut"));
        });
      },
    });
    return Promise.resolve(new Response(body));
  });
  const hub = new Hub();
  const tab = (topics: string[], token = "a") => {
    const told: Told[] = [];
    const port = { postMessage: (each: Told) => told.push(each) };
    const say = (said: Said) => hub.hear(port, said);
    const want = (...wanted: string[]) =>
      say({ kind: "want", url: "/e", headers: { "X-CSRF-Token": token }, topics: wanted });
    want(...topics);
    return { told, say, want };
  };
  const openNow = () => open.mock.calls.reduce((sum, [change]) => sum + change, 0);
  const settle = () => vi.advanceTimersByTimeAsync(1);
  return { hub, openNow, settle, streams, tab };
}

describe("the stream that tabs share", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("is one, however many tabs there are, and all of them hear it", async () => {
    const { openNow, settle, streams, tab } = given();
    const tabs = Array.from({ length: 8 }, () => tab(["runs"]));
    await settle();
    expect(openNow()).toBe(1);
    streams[0]?.say("id: 1\nevent: run\ndata: {}\n\n");
    await settle();
    const event = { id: "1", event: "run", data: "{}" };
    for (const { told } of tabs) expect(told).toContainEqual({ kind: "event", event });
  });

  it("begins for who comes later as if it had begun then", async () => {
    const { settle, streams, tab } = given();
    tab(["runs"]);
    await settle();
    const { told } = tab(["runs"]);
    expect(told).toEqual([
      { kind: "state", state: "live" },
      { kind: "event", event: { id: null, event: "ready", data: "{}" } },
    ]);
    expect(streams).toHaveLength(1);
  });

  it("tells what any of them wants, and is asked for anew only for more", async () => {
    const { openNow, settle, streams, tab } = given();
    const first = tab(["runs"]);
    await settle();
    first.want("runs", "logs:1");
    await settle();
    expect(streams.map(({ topics }) => topics)).toEqual([["runs"], ["runs", "logs:1"]]);
    first.want("runs");
    await settle();
    expect(streams).toHaveLength(2);
    expect(openNow()).toBe(1);
  });

  it("follows five logs; who reads another one is told to read on by itself", async () => {
    const { settle, streams, tab } = given();
    const tabs = Array.from({ length: 7 }, (_, index) => tab(["runs", `logs:${index}`]));
    await settle();
    const followed = streams.at(-1)?.topics.filter((each) => each.startsWith("logs:"));
    expect(followed?.sort()).toEqual(["logs:2", "logs:3", "logs:4", "logs:5", "logs:6"]);
    await vi.advanceTimersByTimeAsync(4_000);
    const gaps = tabs.map(({ told }) => told.filter(({ kind }) => kind === "gap").length);
    expect(gaps).toEqual([1, 1, 0, 0, 0, 0, 0]);
  });

  it("is another one for another session", async () => {
    const { settle, streams, tab } = given();
    const [mine, other] = [tab(["runs"], "a"), tab(["runs"], "b")];
    await settle();
    expect(streams.map(({ token }) => token)).toEqual(["a", "b"]);
    streams[0]?.say("id: 1\nevent: run\ndata: {}\n\n");
    await settle();
    const heard = ({ told }: typeof mine) => told.filter(({ kind }) => kind === "event").length;
    expect([heard(mine), heard(other)]).toEqual([1, 0]);
  });

  it("ends with the last tab, also with one that went without a word", async () => {
    const { hub, openNow, settle, tab } = given();
    const [leaves, stays] = [tab(["runs"]), tab(["runs"])];
    tab(["runs"]);
    await settle();
    leaves.say({ kind: "leave" });
    await vi.advanceTimersByTimeAsync(4 * HERE_MS);
    stays.want("runs");
    await vi.advanceTimersByTimeAsync(4 * HERE_MS);
    hub.sweep();
    await settle();
    expect(openNow()).toBe(1);
    stays.say({ kind: "leave" });
    await settle();
    expect(openNow()).toBe(0);
  });
});
