import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventParser, EventStream, type ServerEvent } from "./stream";

describe("the parser of events", () => {
  it("puts an event together from chunks that end anywhere", () => {
    const parser = new EventParser();
    const text =
      'id: 7\r\nevent: run\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: ping\n\nid: 8\nevent: run\ndata: x\n\n';
    const events = [...text].flatMap((sign) => parser.push(sign));
    expect(events).toEqual([
      { id: "7", event: "run", data: '{"a":\n1}' },
      { id: "8", event: "run", data: "x" },
    ]);
  });

  it("does not make events of comments", () => {
    expect(new EventParser().push(": keep-alive\n\n: again\n\n")).toEqual([]);
  });
});

interface Asked {
  url: string;
  lastId: string | null;
}

/** A server whose answers are listed: a text to send and then end, or a status to refuse with. */
function pretend(answers: (string | number)[]) {
  const asked: Asked[] = [];
  const fake = vi.fn((url: RequestInfo | URL, options?: RequestInit) => {
    const headers = new Headers(options?.headers);
    asked.push({ url: String(url), lastId: headers.get("Last-Event-ID") });
    const answer = answers.shift();
    if (answer === undefined) return new Promise<Response>(() => undefined);
    if (typeof answer === "number") return Promise.resolve(new Response("", { status: answer }));
    return Promise.resolve(new Response(answer));
  });
  return { asked, fetch: fake as unknown as typeof fetch };
}

function follow(answers: (string | number)[]) {
  const server = pretend(answers);
  const events: ServerEvent[] = [];
  const resets = vi.fn();
  const stream = new EventStream({
    url: () => "/events",
    fetch: server.fetch,
    random: () => 1,
    firstPauseMs: 1,
    longestPauseMs: 4,
    onEvent: (event) => events.push(event),
    onReset: resets,
  });
  stream.start();
  return { ...server, events, resets, stream };
}

describe("the stream", () => {
  it("says after a break what it saw last", async () => {
    const { asked, events, stream } = follow([
      "id: 41\nevent: run\ndata: {}\n\n",
      "id: 42\nevent: run\ndata: {}\n\n",
    ]);
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    stream.close();
    expect(asked.map((each) => each.lastId)).toEqual([null, "41", "42"]);
    expect(events.map((event) => event.id)).toEqual(["41", "42"]);
  });

  it("goes on from the place that a heartbeat told, and not from one that was cut off", async () => {
    const { asked, stream } = follow([
      "id: 41\nevent: run\ndata: {}\n\n:\nid: 42\n\nid: 43\nevent: run\ndata: {}",
    ]);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    stream.close();
    expect(asked[1]?.lastId).toBe("42");
  });

  it("starts over when the server does not know its place", async () => {
    const { asked, resets, stream } = follow([
      "id: old\nevent: run\ndata: {}\n\n",
      400,
      ": hi\n\n",
    ]);
    await vi.waitFor(() => expect(asked).toHaveLength(4));
    stream.close();
    expect(asked.slice(0, 3).map((each) => each.lastId)).toEqual([null, "old", null]);
    expect(resets).toHaveBeenCalled();
  });

  it("comes back after refusals", async () => {
    const { asked, events, stream } = follow([503, 502, "id: 1\nevent: run\ndata: {}\n\n"]);
    await vi.waitFor(() => expect(events).toHaveLength(1));
    stream.close();
    expect(asked.length).toBeGreaterThanOrEqual(3);
  });

  it("asks for everything anew when the server says that too much was missed", async () => {
    const { resets, asked, stream } = follow([
      "id: 9\nevent: run\ndata: {}\n\nid: 500\nevent: reset\ndata: \n\n",
    ]);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    stream.close();
    expect(resets).toHaveBeenCalledOnce();
    expect(asked[1]?.lastId).toBe("500");
  });

  it("asks anew when it was cut before it saw any event", async () => {
    const { resets, asked, stream } = follow([503, ": hello\n\n"]);
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    stream.close();
    expect(resets).toHaveBeenCalled();
  });

  it("does not come back after it was closed", async () => {
    const { asked, stream } = follow([503]);
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0));
    stream.close();
    const before = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(asked.length).toBe(before);
  });
});

describe("a stream that falls silent", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  /** Connections that say hello and then nothing. */
  function silent() {
    const asked = vi.fn();
    const fake = (_: RequestInfo | URL, options?: RequestInit) => {
      asked();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(": hello\n\n"));
          options?.signal?.addEventListener("abort", () => controller.error(new Error("cut")));
        },
      });
      return Promise.resolve(new Response(body));
    };
    const stream = new EventStream({
      url: () => "/events",
      fetch: fake as typeof fetch,
      onEvent: () => undefined,
      onReset: () => undefined,
      firstPauseMs: 1,
    });
    stream.start();
    return { asked, stream };
  }

  it("is taken for dead after three heartbeats", async () => {
    const { asked, stream } = silent();
    await vi.advanceTimersByTimeAsync(44_000);
    expect(asked).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked).toHaveBeenCalledTimes(2);
    stream.close();
  });

  it("is asked for anew some seconds after the computer slept", async () => {
    const { asked, stream } = silent();
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(5_100);
    expect(asked).toHaveBeenCalledTimes(2);
    stream.close();
  });

  it("is taken for dead at the same time when the clock is set back", async () => {
    const { asked, stream } = silent();
    await vi.advanceTimersByTimeAsync(1_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(45_000);
    expect(asked).toHaveBeenCalledTimes(2);
    stream.close();
  });
});
