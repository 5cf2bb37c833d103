import { afterEach, expect, it, vi } from "vitest";
import { signOut } from "./signOut";

afterEach(() => vi.unstubAllGlobals());

async function signedOut(answer: () => Promise<Response>) {
  vi.stubGlobal("fetch", vi.fn(answer));
  const leave = vi.fn();
  const tell = vi.fn();
  await signOut(leave, tell);
  return { hasLeft: leave.mock.calls.length > 0, isTold: tell.mock.calls.length > 0 };
}

it("leaves when the session has ended", async () => {
  const answer = async () => new Response(null, { status: 204 });
  expect(await signedOut(answer)).toEqual({ hasLeft: true, isTold: false });
});

it("leaves when it had ended before", async () => {
  const answer = async () => new Response("{}", { status: 401 });
  expect(await signedOut(answer)).toEqual({ hasLeft: true, isTold: false });
});

it("stays and says so when the session goes on", async () => {
  const lost = () => Promise.reject(new TypeError("no network"));
  expect(await signedOut(lost)).toEqual({ hasLeft: false, isTold: true });
  const refused = async () => new Response("{}", { status: 503 });
  expect(await signedOut(refused)).toEqual({ hasLeft: false, isTold: true });
});
