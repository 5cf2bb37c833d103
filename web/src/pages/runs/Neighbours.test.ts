import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import { nextOf } from "./Neighbours";

const runs = (...ids: string[]) => ids.map((executionId) => ({ executionId }) as Run);

test("the next run is the oldest of those that are newer", () => {
  expect(nextOf("b", runs("e", "d", "b", "a"), false)).toBe("d");
  expect(nextOf("e", runs("e"), false)).toBeUndefined();
});

test("no run is taken for the next one while some may be missing", () => {
  expect(nextOf("b", runs("e", "d"), true)).toBeUndefined();
});
