import { expect, test } from "vitest";
import { bestOf } from "./FindNode";

const NODES = ["reload", "load_all", "load"].map((name) => ({ name }));

test("a node is found by its name, by its beginning, then by any part of it", () => {
  expect(bestOf(NODES, "LOAD")).toBe("load");
  expect(bestOf(NODES, "load_")).toBe("load_all");
  expect(bestOf(NODES, "elo")).toBe("reload");
  expect(bestOf(NODES, "nothing")).toBeUndefined();
  expect(bestOf(NODES, " ")).toBeUndefined();
});
