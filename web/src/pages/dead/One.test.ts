import { expect, it } from "vitest";
import { changeOf } from "./One";

const ARGS = { path: "a" };

it("sends arguments only if they were changed", () => {
  expect(changeOf('{\n  "path": "a"\n}', ARGS)).toEqual({});
  expect(changeOf('{"path": "b"}', ARGS)).toEqual({ args: { path: "b" } });
});

it("sends none when the field was emptied, not those of before", () => {
  expect(changeOf("  ", ARGS)).toEqual({ args: {} });
});
