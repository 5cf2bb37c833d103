import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, address, ask, etagOf, rememberCsrf } from "./client";

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
    expect(headers["Idempotency-Key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers["X-CSRF-Token"]).toBe("secret");
  });

  it("asks questions without them", async () => {
    const fake = answerWith(new Response("{}"));
    rememberCsrf("secret");
    await ask("listRuns");
    expect(fake.mock.calls[0]?.[1]?.headers).toEqual({ Accept: "application/json" });
  });

  it("tells a problem in the server's words", async () => {
    const problem = {
      title: "Conflict",
      status: 409,
      code: "not-allowed",
      detail: "It has ended.",
      remedy: "Look first.",
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
});
