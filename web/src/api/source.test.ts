import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Said, Told } from "./hub";
import { type Connect, type Port, Source } from "./source";

function given(connect: Connect) {
  const streams = vi.fn();
  vi.stubGlobal("fetch", () => {
    streams();
    return new Promise(() => undefined);
  });
  let token = "a";
  const onState = vi.fn();
  const source = new Source(
    {
      url: () => "/events",
      headers: () => ({ token }),
      topics: () => ["runs"],
      onEvent: () => undefined,
      onState,
      onRefused: () => undefined,
      onReset: () => undefined,
      onGap: () => undefined,
    },
    connect,
  );
  const signIn = (other: string) => {
    token = other;
  };
  return { onState, signIn, source, streams };
}

/** Workers of which each says what is listed when it is first spoken to. */
function workers(...words: (Told | null)[]) {
  const said: Said[] = [];
  const ports: Port[] = [];
  const connect = vi.fn(() => {
    const word = words.shift();
    const port: Port = {
      postMessage: (each) => {
        said.push(each);
        if (word) port.onmessage?.({ data: word } as MessageEvent<Told>);
      },
      onmessage: null,
      close: () => undefined,
    };
    ports.push(port);
    return port;
  });
  return { connect, ports, said };
}

const LIVE: Told = { kind: "state", state: "live" };

describe("where a tab hears of changes", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("is the worker, which needs no connection of this tab", async () => {
    const { connect, said } = workers(LIVE);
    const { onState, source, streams } = given(connect);
    source.start();
    await vi.advanceTimersByTimeAsync(60_000);
    source.close();
    expect(onState.mock.calls.flat()).toEqual(["connecting", "live", "live", "live", "stopped"]);
    expect(said.at(-1)).toEqual({ kind: "leave" });
    expect(streams).not.toHaveBeenCalled();
  });

  it("is a stream of its own without workers; hidden pages give theirs back soon", () => {
    const { source, streams } = given(() => null);
    const shared = source.hiddenMs;
    source.start();
    expect(streams).toHaveBeenCalledOnce();
    expect(source.hiddenMs).toBeLessThan(shared);
    source.close();
  });

  it("is a stream of its own where the worker is broken, or never says a word", async () => {
    const silent = given(workers(null).connect);
    silent.source.start();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(silent.streams).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(silent.streams).toHaveBeenCalledOnce();
    silent.source.close();

    let onBroken: () => void = () => undefined;
    const broken = given((tell) => {
      onBroken = tell;
      return workers(null).connect();
    });
    broken.source.start();
    onBroken();
    expect(broken.streams).toHaveBeenCalledOnce();
    broken.source.close();
  });

  it("is another worker when the one that it had was ended", async () => {
    const { connect, ports } = workers(LIVE, LIVE);
    const { source, streams } = given(connect);
    source.start();
    if (ports[0]) ports[0].postMessage = () => undefined;
    await vi.advanceTimersByTimeAsync(41_000);
    expect(connect).toHaveBeenCalledTimes(2);
    expect(streams).not.toHaveBeenCalled();
    source.close();
  });

  it("is told the token of a new session as soon as the old one is refused", () => {
    const { connect, ports, said } = workers(null);
    const { signIn, source } = given(connect);
    source.start();
    signIn("b");
    ports[0]?.onmessage?.({ data: { kind: "state", state: "waiting" } } as MessageEvent<Told>);
    source.close();
    const tokens = said.flatMap((each) => (each.kind === "want" ? [each.headers.token] : []));
    expect(tokens).toEqual(["a", "b"]);
  });
});
