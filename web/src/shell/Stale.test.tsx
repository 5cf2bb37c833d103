import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Live, LiveState } from "@/api/live";
import { LiveContext } from "./live";
import { Stale } from "./Stale";

let listeners: (() => void)[] = [];
const live = {
  state: "live" as LiveState,
  isWithoutDatabase: false,
  subscribe: (listener: () => void) => {
    listeners.push(listener);
    return () => undefined;
  },
};

beforeEach(() => {
  listeners = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function turn(state: LiveState, waitMs: number) {
  act(() => {
    live.state = state;
    for (const each of listeners) each();
  });
  act(() => vi.advanceTimersByTime(waitMs));
}

it("tells after a while that what is shown is old, until the server is back", () => {
  render(
    <LiveContext value={live as unknown as Live}>
      <Stale />
    </LiveContext>,
  );
  const told = () => screen.queryByRole("status")?.textContent ?? "";
  turn("waiting", 2_000);
  expect(told()).toBe("");
  turn("connecting", 6_000);
  expect(told()).toContain("No connection to the server since");
  turn("waiting", 1_000);
  expect(told()).toContain("may be old");
  turn("live", 1_000);
  expect(told()).toBe("");
});

it("tells that it is the database which is away", () => {
  render(
    <LiveContext value={live as unknown as Live}>
      <Stale />
    </LiveContext>,
  );
  live.isWithoutDatabase = true;
  turn("away", 7_000);
  expect(screen.getByRole("status").textContent).toContain("cannot reach its database since");
});
