import { describe, expect, it } from "vitest";
import { pretty, readJson } from "./format";
import { numberOf, parseJson, writeJson } from "./json";

describe("JSON", () => {
  it("keeps whole numbers that a double cannot hold", () => {
    const text =
      '{"id":12345678901234567890,"low":-9007199254740993,"list":[18446744073709551615]}';
    expect(writeJson(parseJson(text))).toBe(text);
  });

  it("keeps them in what a person edits", () => {
    const { value } = readJson('{"id": 12345678901234567890}');
    expect(pretty(value)).toBe('{\n  "id": 12345678901234567890\n}');
  });

  it("leaves all other numbers and texts as they are", () => {
    const told = {
      a: 1.5,
      b: 1e300,
      c: 9007199254740991,
      d: "12345678901234567890",
      e: 'a "quoted: 12345678901234567890, \\" \n number',
    };
    expect(parseJson(JSON.stringify(told))).toEqual(told);
    expect(writeJson(told, 2)).toBe(JSON.stringify(told, null, 2));
  });

  it("reads a number as it was typed", () => {
    expect(numberOf("12345678901234567890")).toBe(12345678901234567890n);
    expect(numberOf("12.5")).toBe(12.5);
    expect(numberOf("")).toBeUndefined();
    expect(numberOf("much")).toBeUndefined();
  });
});
