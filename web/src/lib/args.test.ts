import { expect, test } from "vitest";
import { argsText, hasArgs } from "./args";

test("arguments are one line of names and values", () => {
  expect(argsText({ name: "Ada", times: 3, tags: ["a", "b"] })).toBe(
    'name=Ada, times=3, tags=["a","b"]',
  );
});

test("texts that a line would not tell apart stand in quotes", () => {
  expect(argsText({ a: "", b: "one, two", c: "3", d: null, e: "a\nb" })).toBe(
    'a="", b="one, two", c="3", d=null, e="a\\nb"',
  );
});

test("a long value is cut, so that the others are seen too", () => {
  expect(argsText({ text: "x".repeat(500), day: "monday" })).toBe(
    `text=${"x".repeat(60)}…, day=monday`,
  );
});

test("no arguments are no text", () => {
  expect(argsText({})).toBe("");
  expect([{}, [], null, undefined].map(hasArgs)).toEqual([false, false, false, false]);
  expect(hasArgs({ a: null })).toBe(true);
});
