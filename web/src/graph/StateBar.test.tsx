import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { inWords, StateBar } from "./StateBar";

const FAILED = { pending: 0, skipped: 2, failed: 1, success: 5 };

it("says how the nodes stand in words, what is done first", () => {
  expect(inWords(FAILED)).toBe("5 success, 1 failed, 2 skipped");
  expect(inWords({ dreaming: 1, running: 2 })).toBe("2 running, 1 dreaming");
});

it("has a stretch for each state, in its own colour", () => {
  render(<StateBar byState={FAILED} />);
  const bar = screen.getByRole("img", { name: "Nodes: 5 success, 1 failed, 2 skipped" });
  const [done, failed] = [...bar.children] as HTMLElement[];
  expect(bar.children).toHaveLength(3);
  expect([done?.className, done?.style.width]).toEqual(["bg-ok-fill", "62.5%"]);
  expect(failed?.className).toBe("bg-bad-fill");
});
