import { expect, it } from "vitest";
import type { Run } from "@/api/types";
import { wentWrong } from "./RunFacts";

it.each([
  [1, 0, 0, ""],
  [1, 1, 0, ", failed"],
  [3, 3, 0, ", all failed"],
  [3, 2, 0, ", 2 failed"],
  [2, 0, 1, ", 1 lost with a worker"],
])("of %d attempts %d failed and %d were lost: %s", (attempt, failures, crashes, said) =>
  expect(wentWrong({ attempt, failures, crashes } as Run)).toBe(said),
);
