import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeCache } from "./cache";
import { ApiError, ask, onRefusal, rememberCsrf } from "./client";
import { session } from "./queries";
import { watchSession } from "./session";

const ANN = { who: "ann", namespace: "default", csrfToken: "one" };

/** A server whose cookie may belong to somebody else by now. */
function given({ now, isBusy = false }: { now: object | null; isBusy?: boolean }) {
  const asked: { url: string; csrf: string | null }[] = [];
  vi.stubGlobal("fetch", (url: string, { method, headers }: Sent) => {
    const csrf = headers["X-CSRF-Token"] ?? null;
    asked.push({ url, csrf });
    const isOwn = now && "csrfToken" in now && csrf === now.csrfToken;
    if (method === "GET" && url.endsWith("/session") && now)
      return Promise.resolve(Response.json(now));
    return Promise.resolve(isOwn ? Response.json({ items: [] }) : new Response("", REFUSED));
  });
  const cache = makeCache();
  cache.setQueryData(session.queryKey, ANN as never);
  const ways = { reload: vi.fn(), signIn: vi.fn(), tell: vi.fn(), isBusy: () => isBusy };
  watchSession(cache, ways);
  return { ...ways, asked, cache };
}

interface Sent {
  method: string;
  headers: Record<string, string>;
}

const REFUSED = { status: 401 };

beforeEach(() => rememberCsrf("one"));
afterEach(() => {
  vi.unstubAllGlobals();
  rememberCsrf(null);
  onRefusal(null);
});

describe("a session that has ended", () => {
  it("leads to the page where one signs in", async () => {
    const { signIn } = given({ now: null });
    await expect(ask("listRuns")).rejects.toBeInstanceOf(ApiError);
    expect(signIn).toHaveBeenCalledWith("/login");
  });

  it("does not take away what somebody writes, and is told once", async () => {
    const { signIn, tell, asked } = given({ now: null, isBusy: true });
    await expect(ask("listRuns")).rejects.toBeInstanceOf(ApiError);
    const before = asked.length;
    await expect(ask("listJobs")).rejects.toMatchObject({ problem: { status: 401 } });
    expect(asked.length, "a server locks out who asks and asks").toBe(before);
    expect(signIn).not.toHaveBeenCalled();
    expect(tell).toHaveBeenCalledOnce();
  });

  it("goes on where the same person has signed in again", async () => {
    const { asked, reload } = given({ now: { ...ANN, csrfToken: "two" } });
    await expect(ask("submitRun", { body: { jobId: "a" } })).resolves.toEqual({ items: [] });
    expect(asked.map((each) => each.csrf)).toEqual(["one", null, "two"]);
    expect(reload).not.toHaveBeenCalled();
  });

  it("begins anew for another person or namespace", async () => {
    const { reload } = given({ now: { ...ANN, namespace: "staging", csrfToken: "two" } });
    await ask("listRuns").catch(() => undefined);
    expect(reload).toHaveBeenCalledOnce();
  });

  it("does nothing in the session of another person while the page begins anew", async () => {
    const { asked, reload } = given({ now: { ...ANN, who: "bob", csrfToken: "two" } });
    await expect(ask("cancelRun", { path: ["1"] })).rejects.toBeInstanceOf(ApiError);
    await expect(ask("cancelRun", { path: ["2"] })).rejects.toBeInstanceOf(ApiError);
    expect(reload).toHaveBeenCalledOnce();
    expect(asked.map((each) => each.csrf)).toEqual(["one", null]);
  });

  it("is noticed when only the session was read anew, and no token of another one is used", async () => {
    const { asked, cache, reload } = given({ now: { ...ANN, who: "bob", csrfToken: "two" } });
    await cache.fetchQuery({ ...session, staleTime: 0 });
    expect(reload).toHaveBeenCalledOnce();
    await ask("cancelRun", { path: ["1"] }).catch(() => undefined);
    expect(asked.map((each) => each.csrf)).toEqual([null, "one", null]);
  });

  it("can be ended from a page that is older than it", async () => {
    const { asked } = given({ now: { ...ANN, csrfToken: "two" } });
    await ask("endSession");
    expect(asked.map((each) => each.csrf)).toEqual(["one", null, "two"]);
  });
});
