import { expect, it, vi } from "vitest";
import { toast } from "@/ui/Toasts";
import { changeOf, problemOf, tellRedriven } from "./One";

const ARGS = { path: "a" };

it("sends arguments only if they were changed", () => {
  expect(changeOf('{\n  "path": "a"\n}', ARGS)).toEqual({});
  expect(changeOf('{"path": "b"}', ARGS)).toEqual({ args: { path: "b" } });
});

it("refuses a field that was emptied, and what is no object", () => {
  for (const text of ["  ", "null", "[1]", "7"]) expect(problemOf(text)).toContain("{} for none");
  for (const text of ["{}", '{"path": "b"}']) expect(problemOf(text)).toBeUndefined();
});

it("says when somebody was first, and that arguments were not used", () => {
  const [done, failed] = [vi.spyOn(toast, "done"), vi.spyOn(toast, "failed")];
  const made = { executionId: "1", rerunId: "0190-0000-1234abcd", isNew: false };
  tellRedriven(made, false);
  expect(done).toHaveBeenLastCalledWith("It was already redriven as 1234abcd. This is that run.");
  tellRedriven(made, true);
  expect(String(failed.mock.lastCall?.[0])).toContain("Your arguments were not used.");
  tellRedriven({ ...made, isNew: true }, true);
  expect(done).toHaveBeenLastCalledWith("It runs again; this is the new run.");
  expect(done).toHaveBeenCalledTimes(2);
});
