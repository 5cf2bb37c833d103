import { expect, it } from "vitest";
import { doneOf } from "./Many";

it("tells one from many", () => {
  expect(doneOf("redrive", 1)).toBe("1 dead letter runs again.");
  expect(doneOf("redrive", 54)).toBe("54 dead letters run again.");
  expect(doneOf("discard", 1)).toBe("1 dead letter is discarded.");
  expect(doneOf("discard", 2)).toBe("2 dead letters are discarded.");
});
