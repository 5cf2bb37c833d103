import { onlineManager } from "@tanstack/react-query";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeCache } from "./cache";
import { ApiError, address, ask, etagOf, rememberCsrf } from "./client";
import { job } from "./queries";

afterEach(() => {
  vi.unstubAllGlobals();
  rememberCsrf(null);
});

function answerWith(response: Response) {
  const fake = vi.fn<typeof fetch>(() => Promise.resolve(response));
  vi.stubGlobal("fetch", fake);
  return fake;
}

describe("the client", () => {
  it("escapes names in paths, slashes too", () => {
    expect(address("compareVersions", ["a/b ?", 3, 4])).toBe(
      "/api/v1/jobs/a%2Fb%20%3F/versions/3/diff/4",
    );
  });

  it("leaves out questions that are not asked", () => {
    expect(
      address("listRuns", [], { status: "failed", queue: "", jobId: undefined, cursor: null }),
    ).toBe("/api/v1/runs?status=failed");
  });

  it("sends changes with a key of their own and the token of the session", async () => {
    const fake = answerWith(new Response("{}", { status: 202 }));
    rememberCsrf("secret");
    await ask("submitRun", { body: { jobId: "a" } });
    const headers = fake.mock.calls[0]?.[1]?.headers as Record<string, string>;
    expect(headers["Idempotency-Key"]).toMatch(/^[0-9a-f]{32}$/);
    expect(headers["X-CSRF-Token"]).toBe("secret");
  });

  it("asks questions without a key, and in the session that it belongs to", async () => {
    const fake = answerWith(new Response("{}"));
    rememberCsrf("secret");
    await ask("listRuns");
    const headers = { Accept: "application/json", "X-CSRF-Token": "secret" };
    expect(fake.mock.calls[0]?.[1]?.headers).toEqual(headers);
    await ask("showSession").catch(() => undefined);
    expect(fake.mock.calls[1]?.[1]?.headers).toEqual({ Accept: "application/json" });
    await ask("endSession").catch(() => undefined);
    expect(fake.mock.calls[2]?.[1]?.headers).toEqual(headers);
  });

  it("tells a problem in the server's words", async () => {
    const problem = {
      title: "Conflict",
      status: 409,
      code: "not-allowed",
      detail: "It has ended.",
      remedy: "Look first.",
      facts: { field: "queue" },
    };
    answerWith(new Response(JSON.stringify(problem), { status: 409 }));
    const error: unknown = await ask("showRun", { path: ["1"] }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).problem).toEqual(problem);
  });

  it("tells an answer that is none of ours, and none at all", async () => {
    answerWith(new Response("<html>Bad gateway</html>", { status: 502 }));
    await expect(ask("listRuns")).rejects.toThrow("502");
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
    await expect(ask("listRuns")).rejects.toMatchObject({ problem: { code: "unreachable" } });
  });

  it("remembers the version of what it read", async () => {
    answerWith(new Response("{}", { headers: { ETag: '"7"' } }));
    expect(etagOf(await ask("showJob", { path: ["a"] }))).toBe('"7"');
    expect(etagOf({})).toBeNull();
  });

  it("remembers it when only a part of it changed since the last time", async () => {
    const cache = makeCache();
    for (const version of [3, 4]) {
      answerWith(
        new Response(JSON.stringify({ jobId: "a", last: [{ state: "success" }], version }), {
          headers: { ETag: `"${version}"` },
        }),
      );
      const read = await cache.fetchQuery({ ...job("a"), staleTime: 0 });
      expect(etagOf(read)).toBe(`"${version}"`);
      expect(etagOf(cache.getQueryData(job("a").queryKey))).toBe(`"${version}"`);
    }
  });

  it("keeps numbers exact on both ways", async () => {
    const fake = answerWith(new Response('{"args":{"id":12345678901234567890}}'));
    const { args } = await ask("showRun", { path: ["1"] });
    expect(fake).toHaveBeenCalledOnce();
    const sent = answerWith(new Response("{}"));
    await ask("rerunRun", { path: ["1"], body: { args: args as Record<string, unknown> } });
    expect(sent.mock.calls[0]?.[1]?.body).toBe('{"args":{"id":12345678901234567890}}');
  });

  it("gives up a question whose connection is dead, and never a change", async () => {
    vi.useFakeTimers();
    const cut = vi.fn();
    vi.stubGlobal("fetch", (_: string, { signal }: RequestInit) => {
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
      });
    });
    const asked = ask("listRuns").catch((error: unknown) => error);
    void ask("cancelRun", { path: ["1"] }).then(cut, cut);
    await vi.advanceTimersByTimeAsync(600_000);
    vi.useRealTimers();
    expect(await asked).toMatchObject({ problem: { code: "unreachable" } });
    expect(cut).not.toHaveBeenCalled();
  });

  it("tells an answer that is no JSON, whatever its status", async () => {
    answerWith(new Response("<html>Sign in to the proxy</html>", { status: 200 }));
    await expect(ask("listRuns")).rejects.toMatchObject({ problem: { code: "unreadable" } });
  });
});

describe("the cache", () => {
  it("asks a server of this machine though the browser calls itself offline", async () => {
    onlineManager.setOnline(false);
    try {
      answerWith(new Response('{"jobId": "a"}'));
      await expect(makeCache().fetchQuery(job("a"))).resolves.toEqual({ jobId: "a" });
    } finally {
      onlineManager.setOnline(true);
    }
  });
});

describe("a wish", () => {
  const keyOf = (fake: ReturnType<typeof answerWith>) =>
    new Headers(fake.mock.calls.at(-1)?.[1]?.headers).get("Idempotency-Key");
  const submit = (jobId: string) => ask("submitRun", { body: { jobId } }).catch(() => undefined);

  it("that got no answer keeps its key when it is sent again, so that it is done once", async () => {
    const cut = vi.fn<typeof fetch>(() => Promise.reject(new TypeError("cut")));
    vi.stubGlobal("fetch", cut);
    await submit("lost");
    const first = keyOf(cut);
    const gateway = answerWith(new Response("", { status: 504 }));
    await submit("lost");
    expect(keyOf(gateway)).toBe(first);
    const server = answerWith(new Response("{}"));
    await submit("lost");
    expect(keyOf(server)).toBe(first);

    const again = answerWith(new Response("{}"));
    await submit("lost");
    expect(keyOf(again)).not.toBe(first);
  });

  it("that was withdrawn has another key when it is made again", async () => {
    const stop = new AbortController();
    const cut = vi.fn<typeof fetch>(() => {
      stop.abort();
      return Promise.reject(new DOMException("", "AbortError"));
    });
    vi.stubGlobal("fetch", cut);
    await ask("submitRun", { body: { jobId: "off" }, signal: stop.signal }).catch(() => undefined);
    const first = keyOf(cut);
    const server = answerWith(new Response("{}"));
    await submit("off");
    expect(keyOf(server)).not.toBe(first);
  });

  it("that was refused, or is another one, has a key of its own", async () => {
    const refused = answerWith(new Response("{}", { status: 409 }));
    await submit("refused");
    const first = keyOf(refused);
    const server = answerWith(new Response("{}"));
    await submit("refused");
    expect(keyOf(server)).not.toBe(first);
  });

  it("can be sent from a page that did not come over HTTPS", async () => {
    const { getRandomValues } = crypto;
    vi.stubGlobal("crypto", { getRandomValues: getRandomValues.bind(crypto) });
    const server = answerWith(new Response("{}"));
    await ask("submitRun", { body: { jobId: "plain" } });
    expect(keyOf(server)).toMatch(/^[0-9a-f]{32}$/);
  });
});
