import { afterEach, expect, it, vi } from "vitest";
import { type ApiError, ask } from "./client";

afterEach(() => vi.unstubAllGlobals());

async function remedyOf(asked: () => Promise<unknown>, status: number | null, code = "x") {
  const told = JSON.stringify({ detail: "no", code, remedy: "Send the header X." });
  vi.stubGlobal("fetch", () =>
    status === null
      ? Promise.reject(new TypeError())
      : Promise.resolve(new Response(told, { status })),
  );
  const error = await asked().catch((each: unknown) => each);
  return (error as ApiError).problem.remedy;
}

const change = () => ask("cancelRun", { path: ["1"] });
const question = () => ask("showVersion");

it("says of a change without an answer that it is not known and not sent again", async () => {
  for (const status of [null, 502, 504]) {
    expect(await remedyOf(change, status)).toMatch(/^It is not known .* not sent again/);
  }
  expect(await remedyOf(change, 503, "commit-unknown")).toMatch(/^It is not known/);
  expect(await remedyOf(question, null)).toContain("the page tries again by itself");
});

it("says of a change that the database refused that nothing was changed", async () => {
  const told = await remedyOf(change, 503, "store-unavailable");
  expect(told).toMatch(/^Nothing was changed, and it is not sent again/);
  expect(await remedyOf(question, 503, "store-unavailable")).toContain("tried again");
});

it("gives people no advice for programs", async () => {
  expect(await remedyOf(change, 412, "outdated")).toContain("open it again");
  expect(await remedyOf(change, 400, "bad-input")).not.toContain("header");
  expect(await remedyOf(question, 429, "too-many")).not.toContain("header");
});

it("keeps what else the server advises", async () => {
  expect(await remedyOf(change, 409, "not-allowed")).toBe("Send the header X.");
});
