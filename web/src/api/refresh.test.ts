import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keys } from "./keys";
import { REFRESH_MS, Refresher } from "./refresh";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** One thing on the screen, whose answers take so long. */
function given({ takesMs }: { takesMs: number }) {
  const cache = new QueryClient();
  const asked = vi.fn();
  const seen = vi.fn();
  const queryFn = async () => {
    asked();
    await new Promise((resolve) => setTimeout(resolve, takesMs));
    seen();
    return asked.mock.calls.length;
  };
  new QueryObserver(cache, { queryKey: keys.queues, queryFn }).subscribe(() => undefined);
  return { asked, seen, refresher: new Refresher(cache) };
}

describe("starting over", () => {
  it("asks at once", async () => {
    const { asked, refresher } = given({ takesMs: 10 });
    await vi.advanceTimersByTimeAsync(100);
    refresher.startOver();
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("again and again asks every few seconds, and lets slow answers come", async () => {
    const { asked, seen, refresher } = given({ takesMs: 3_000 });
    await vi.advanceTimersByTimeAsync(3_000);
    for (let passed = 0; passed < 30_000; passed += 300) {
      refresher.startOver();
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(asked.mock.calls.length).toBeLessThanOrEqual(2 + 30_000 / REFRESH_MS);
    expect(seen.mock.calls.length).toBeGreaterThanOrEqual(5);
  });

  it("asks once more for what was asked first before it", async () => {
    const { asked, refresher } = given({ takesMs: 1_000 });
    refresher.startOver();
    await vi.advanceTimersByTimeAsync(REFRESH_MS);
    expect(asked).toHaveBeenCalledTimes(2);
  });
});

describe("what was marked as old", () => {
  it("is asked for once, however often it was marked", async () => {
    const { asked, refresher } = given({ takesMs: 10 });
    await vi.advanceTimersByTimeAsync(100);
    for (let index = 0; index < 500; index++) refresher.mark(keys.queues);
    refresher.mark(keys.runs);
    await vi.advanceTimersByTimeAsync(REFRESH_MS * 2);
    expect(asked).toHaveBeenCalledTimes(2);
  });
});
