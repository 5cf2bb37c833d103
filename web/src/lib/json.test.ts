import { describe, expect, it } from "vitest";
import { pretty, readJson } from "./format";
import { isNumber, numberOf, parseJson, parseWritten, wholeOf, writeJson } from "./json";

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
    expect(String(numberOf("1.50"))).toBe("1.50");
    expect(numberOf(".5"), "what JSON does not know as a number is told in its way").toBe(0.5);
    expect(numberOf("")).toBeUndefined();
    expect(numberOf("much")).toBeUndefined();
  });

  it("reads whole numbers where only such belong", () => {
    expect(wholeOf("2.0")).toBe(2);
    expect(wholeOf("1e3")).toBe(1000);
    expect(wholeOf("12345678901234567890")).toBe(12345678901234567890n);
  });
});

describe("numbers that a person wrote", () => {
  it.each(["1.0", "-0.0", "1e2", "1E+2", "1.50", "100.00", "1e400", "0.1e1", "1e-7", "-2.5e3"])(
    "%s is sent as written",
    (number) => {
      const text = `{"a":${number},"b":[${number},"${number}"],"${number}":0}`;
      expect(writeJson(parseWritten(text))).toBe(text);
      expect(writeJson(parseWritten(number))).toBe(number);
    },
  );

  it("survive what forms do with them", () => {
    const { a, b } = parseWritten('{"a": 1.0, "b": {"c": [2e2]}}') as Record<string, unknown>;
    expect(writeJson({ ...{ z: 1 }, a, b: { ...(b as object) } })).toBe(
      '{"z":1,"a":1.0,"b":{"c":[2e2]}}',
    );
    expect(isNumber(a)).toBe(true);
    expect(Number(a) + 1).toBe(2);
  });

  it("do not make JSON of what is none, nor move the place that an error tells", () => {
    for (const text of ["{1.0: 2}", "[1.0 2.0]", '{"a": 1.0', "01.0", "1.", "+1.0", "1.0.0"]) {
      const own = readJson(text).error;
      let plain = "";
      try {
        JSON.parse(text);
      } catch (error) {
        plain = (error as Error).message;
      }
      expect(own).toBe(plain);
      expect(plain).not.toBe("");
    }
  });
});

describe("numbers of an answer", () => {
  it("are plain where the page counts with them, and as written in what people gave or got", () => {
    const text =
      '{"progress":100.0,"args":{"x":1.0,"y":[1e16]},"last":[{"rate":1.0}],"result":3.0,"big":1e16}';
    const told = parseJson(text) as Record<string, unknown>;
    expect(told.progress).toBe(100);
    expect(told.last).toEqual([{ rate: 1 }]);
    expect(told.big).toBe(1e16);
    expect(writeJson(told.args)).toBe('{"x":1.0,"y":[1e16]}');
    expect(writeJson(told.result)).toBe("3.0");
  });

  it("are found however the answer is laid out", () => {
    for (const value of ["1.0", "[1.0]", "[ 1.0 ]", '{"a" : 1.0 }', '{"a":1.0\n}', "[0,1e2]"]) {
      const told = parseJson(`{"args": ${value}}`) as { args: unknown };
      expect(writeJson(told.args).replace(/\s/g, "")).toBe(value.replace(/\s/g, ""));
    }
  });
});

/** The same numbers each time, so that what fails once fails again. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

function digits(roll: (sides: number) => number, most: number): string {
  return Array.from({ length: 1 + roll(most) }, () => roll(10)).join("");
}

function anyNumber(roll: (sides: number) => number): string {
  const whole = roll(3) ? String(roll(1000)) : `${1 + roll(9)}${digits(roll, 25)}`;
  const fraction = roll(2) ? `.${roll(2) ? digits(roll, 20) : "0".repeat(1 + roll(3))}` : "";
  const exponent = roll(3) ? "" : `${"eE"[roll(2)]}${["", "+", "-"][roll(3)]}${digits(roll, 2)}`;
  return `${roll(4) ? "" : "-"}${whole}${fraction}${exponent}`;
}

const TEXTS = [
  '""',
  '"1.0"',
  '"a\\"1.0,"',
  '"\\\\"',
  '"é\\u0041"',
  '"x: [1e5, 2.0]"',
  "true",
  "null",
];

function anyValue(roll: (sides: number) => number, depth: number): string {
  const kind = roll(depth > 3 ? 2 : 4);
  if (kind === 0) return anyNumber(roll);
  if (kind === 1) return TEXTS[roll(TEXTS.length)] ?? "null";
  const inside = Array.from({ length: roll(4) }, () => anyValue(roll, depth + 1));
  if (kind === 2) return `[${inside.join(",")}]`;
  return `{${inside.map((each, index) => `"k${index}.0":${each}`).join(",")}}`;
}

describe("any JSON", () => {
  it("comes back sign by sign when a person wrote it", () => {
    const roll = dice(7);
    for (let round = 0; round < 3_000; round++) {
      const text = anyValue(roll, 0);
      const back = writeJson(parseWritten(text));
      expect(normal(back), text).toBe(normal(text));
    }
  });

  it("says the same as the browser's parser where that is exact", () => {
    const roll = dice(11);
    for (let round = 0; round < 1_000; round++) {
      const text = `{"deep":${anyValue(roll, 0)}}`;
      const plain: unknown = JSON.parse(text);
      expect(JSON.parse(writeJson(parseJson(text))), text).toEqual(plain);
    }
  });
});

/** How signs in texts are escaped is nobody's concern. */
function normal(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (each) => JSON.stringify(JSON.parse(each)));
}
