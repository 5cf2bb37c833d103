import { describe, expect, it } from "vitest";
import { labelOf, shownOf } from "./change";

describe("a change of a definition", () => {
  it("is told in the words of the form", () => {
    expect(labelOf("target.argv")).toBe("Command");
    expect(labelOf("target.env.MODE")).toBe("Variable MODE");
    expect(labelOf("timeout_ms")).toBe("Timeout");
  });

  it("keeps names that have no word", () => {
    expect(labelOf("nodes.pack.over")).toBe("nodes.pack.over");
  });

  it("shows values as people write them", () => {
    expect(shownOf("timeout_ms", 1_200_000)).toBe("20m 00s");
    expect(shownOf("target.argv", ["python", "a b.py"])).toBe("python 'a b.py'");
    expect(shownOf("queue", "mail")).toBe("mail");
    expect(shownOf("retry.limit", null)).toBe("not set");
    expect(shownOf("tags", ["a"])).toBe('[\n  "a"\n]');
  });
});
