import { describe, expect, it } from "vitest";
import { count, percent, readJson } from "./format";
import { isStep, parseSearch, pick, stringifySearch } from "./search";

describe("filters in the address", () => {
  it("come back as they were sent", () => {
    const search = { state: "failed,running", q: "a b&c=ü", since: "1h" };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it("leave nothing behind when they are empty", () => {
    expect(stringifySearch({ state: undefined, q: "" })).toBe("");
  });

  it("stay text, whatever they look like", () => {
    expect(parseSearch("?q=007&job=true")).toEqual({ q: "007", job: "true" });
  });

  it("are only those that a page knows", () => {
    expect(pick(["state", "q"])({ state: "failed", evil: "1", q: "" })).toEqual({
      state: "failed",
    });
  });
});

describe("numbers", () => {
  it("are short", () => {
    expect(count(9_999)).toBe("9,999");
    expect(count(1_234_567)).toBe("1.2M");
    expect(count(undefined)).toBe("–");
  });

  it("never round a failure away", () => {
    expect(percent(0.99999)).toBe("99.9 %");
    expect(percent(1)).toBe("100 %");
    expect(percent(0.5)).toBe("50 %");
    expect(percent(0.9874)).toBe("98.7 %");
  });
});

describe("texts", () => {
  it("that are no JSON say so, and empty ones are nothing", () => {
    expect(readJson("{").error).not.toBeNull();
    expect(readJson("  ")).toEqual({ value: null, error: null });
    expect(readJson('{"a": 1}').value).toEqual({ a: 1 });
  });
});

it.each([
  [{ tab: "log" }, true],
  [{ status: "failed" }, true],
  [{ status: undefined }, true],
  [{ node: "ship" }, true],
  [{ node: undefined }, false],
  [{ q: "ord" }, false],
  [{ find: "x", level: undefined }, false],
])("%j is a step to go back from: %s", (patch, expected) => {
  expect(isStep(patch)).toBe(expected);
});
