import { expect, it, vi } from "vitest";
import { patiently } from "./patiently";

it("loads at once what is there", async () => {
  const isReady = vi.fn();
  await expect(patiently(async () => 7, isReady)()).resolves.toBe(7);
  expect(isReady).not.toHaveBeenCalled();
});

it("waits until the server is back, then loads again", async () => {
  const load = vi.fn().mockRejectedValueOnce(new Error("503")).mockResolvedValue(7);
  const isReady = vi.fn().mockResolvedValueOnce(false).mockResolvedValue(true);
  await expect(patiently(load, isReady, 1)()).resolves.toBe(7);
  expect(isReady).toHaveBeenCalledTimes(2);
  expect(load).toHaveBeenCalledTimes(2);
});
