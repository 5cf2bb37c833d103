import { describe, expect, it } from "vitest";
import { parseAnsi, stripAnsi } from "./ansi";

const ESC = "\x1b";

describe("colours of terminals", () => {
  it("leaves plain text alone", () => {
    expect(parseAnsi("hello")).toEqual([{ text: "hello", classes: "" }]);
  });

  it("makes spans of colours and weights, and ends them at a reset", () => {
    expect(parseAnsi(`${ESC}[31;1mbad${ESC}[0m fine`)).toEqual([
      { text: "bad", classes: "ansi-1 ansi-bold" },
      { text: " fine", classes: "" },
    ]);
  });

  it("takes the codes of 256 and of 24-bit colours as one, down to the nearest of eight", () => {
    expect(parseAnsi(`${ESC}[38;5;196mx`)).toEqual([{ text: "x", classes: "ansi-1" }]);
    expect(parseAnsi(`${ESC}[38;2;10;200;20mx`)).toEqual([{ text: "x", classes: "ansi-2" }]);
    expect(parseAnsi(`${ESC}[48;5;21;1mx`)).toEqual([{ text: "x", classes: "ansi-b4 ansi-bold" }]);
  });

  it("drops movements of the cursor, titles and links", () => {
    const hostile = `${ESC}[2J${ESC}[10;1Ha${ESC}]0;title\x07b${ESC}]8;;https://example.org${ESC}\\c`;
    expect(stripAnsi(hostile)).toBe("abc");
    expect(
      parseAnsi(hostile)
        .map((span) => span.text)
        .join(""),
    ).toBe("abc");
  });

  it("shows control characters and turners of direction as a replacement sign", () => {
    expect(stripAnsi("a\x08b\u202ec\r")).toBe("a\ufffdb\ufffdc");
  });

  it("ignores sequences that never end, many of them too", () => {
    expect(stripAnsi(`${`${ESC}[`.repeat(20_000)}m rest`)).toBe(" rest");
    expect(stripAnsi(`${ESC}]${"a".repeat(100_000)}`)).toBe("");
  });
});
