import { expect, it } from "vitest";
import type { Worker } from "@/api/types";
import { crewInShort, someOf } from "./words";

const worker = (facts: Partial<Worker>) =>
  ({ alive: true, slots: 8, busy: 0, version: "1.0", ...facts }) as Worker;

it("names a few and counts the others", () => {
  expect(someOf(["a"])).toBe("a");
  expect(someOf(["a", "b"])).toBe("a, b");
  expect(someOf(["a", "b", "c", "d", "e"])).toBe("a, b +3");
});

it("tells the crew in one line, with what is unusual", () => {
  expect(crewInShort([worker({ busy: 12 })])).toBe("1 worker alive, 8 of 8 slots busy");
  expect(
    crewInShort([worker({}), worker({ version: "1.1" }), worker({ alive: false, busy: 5 })]),
  ).toBe("2 workers alive, 0 of 16 slots busy, 1 silent, versions 1.0 and 1.1");
});
