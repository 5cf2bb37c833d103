import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useTyped } from "./useTyped";

const PAUSE_MS = 250;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function typed(tell: (text: string) => void = () => undefined) {
  const hook = renderHook(({ kept }) => useTyped(kept, (text) => tell(text), PAUSE_MS), {
    initialProps: { kept: "" },
  });
  return {
    ...hook,
    text: () => hook.result.current[0],
    type: (text: string) => act(() => hook.result.current[1](text)),
  };
}

it("tells once what was typed, when the person pauses", () => {
  const tell = vi.fn();
  const field = typed(tell);
  field.type("a");
  field.type("ab");
  act(() => void vi.advanceTimersByTime(PAUSE_MS));
  expect(tell.mock.calls).toEqual([["ab"]]);
});

it("tells it on a page that is drawn anew all the time", () => {
  const tell = vi.fn();
  const field = typed(tell);
  field.type("ab");
  for (let times = 0; times < 5; times++) {
    act(() => void vi.advanceTimersByTime(PAUSE_MS / 2));
    field.rerender({ kept: "" });
  }
  expect(tell.mock.calls).toEqual([["ab"]]);
});

it("keeps the letters that came before the address answered", () => {
  const field = typed();
  field.type("ab");
  act(() => void vi.advanceTimersByTime(PAUSE_MS));
  field.type("abc");
  field.rerender({ kept: "ab" });
  expect(field.text()).toBe("abc");
});

it("follows the address when somebody else changes it", () => {
  const tell = vi.fn();
  const field = typed(tell);
  field.type("ab");
  act(() => void vi.advanceTimersByTime(PAUSE_MS));
  field.rerender({ kept: "ab" });
  field.rerender({ kept: "" });
  expect(field.text()).toBe("");
  act(() => void vi.advanceTimersByTime(PAUSE_MS));
  expect(tell).toHaveBeenCalledOnce();
});
