import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Limit } from "@/api/types";
import { Limits, sentenceOf } from "./Limits";

const SLOTS: Limit = {
  kind: "slots",
  says: "slots of 2 workers",
  used: 3,
  most: 16,
  stops: false,
};

it.each([
  [SLOTS, "3 of 16 slots of 2 workers"],
  [{ ...SLOTS, used: null }, "16 slots of 2 workers"],
  [
    { ...SLOTS, says: "no worker that is alive serves it", used: null, most: 0 },
    "No worker that is alive serves it",
  ],
  [
    { ...SLOTS, kind: "breaker", says: "the breaker of job a is open", used: 1, most: null },
    "The breaker of job a is open: 1 run held back",
  ],
] as [Limit, string][])("%o", (limit, text) => {
  expect(sentenceOf(limit)).toBe(text);
});

it("says in words, not only by colour, what holds runs back", () => {
  render(<Limits limits={[{ ...SLOTS, kind: "paused", says: "paused", stops: true }, SLOTS]} />);
  expect(screen.getByLabelText("Holds runs back now")).toBeTruthy();
  expect(screen.getByLabelText("Holds nothing back now")).toBeTruthy();
});
