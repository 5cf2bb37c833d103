import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { rate } from "@/pages/insight/Stats";
import { queuedOf } from "@/pages/jobs/columns";
import { isLongText, LongText } from "./LongText";
import { halves, Name } from "./Name";

describe("a name", () => {
  it("keeps its end where it has to be cut, and is whole for who reads or copies it", () => {
    const long = "reconcile-the-ledgers-of-all-subsidiaries-0042";
    render(<Name text={long} />);
    expect(halves(long)[1]).toBe("diaries-0042");
    expect(screen.getByTitle(long).textContent).toBe(long);
  });

  it("is one piece if it is short, and never cut within a letter", () => {
    expect(halves("thumbnail")).toEqual(["thumbnail", ""]);
    expect(halves("🎉".repeat(40))).toEqual(["🎉".repeat(28), "🎉".repeat(12)]);
    const family = "👨‍👩‍👧";
    expect(halves(family.repeat(40))).toEqual([family.repeat(28), family.repeat(12)]);
  });
});

describe("a long text", () => {
  it("shows its beginning, and all of it when asked", () => {
    const text = "a line\n".repeat(40);
    render(<LongText text={text} />);
    const more = screen.getByRole("button", { name: /Show all/ });
    expect(more.getAttribute("aria-expanded")).toBe("false");
    fireEvent.click(more);
    expect(screen.getByRole("button", { name: "Show less" })).toBeDefined();
  });

  it("is known by its lines and letters", () => {
    expect(isLongText("short\n".repeat(8))).toBe(false);
    expect(isLongText("short\n".repeat(9))).toBe(true);
    expect(isLongText("x".repeat(901))).toBe(true);
  });
});

describe("figures", () => {
  const DAY_MS = 86_400_000;

  it("are told in a unit in which there is something to tell", () => {
    expect(rate(1200, 3_600_000)).toBe("20 a minute");
    expect(rate(67, DAY_MS)).toBe("2.8 an hour");
    expect(rate(3, DAY_MS)).toBe("3 a day");
    expect(rate(0, DAY_MS)).toBe("0 a minute");
    expect(rate(1, 7 * DAY_MS)).toBe("less than 1 a day");
  });

  it("say where the server stopped counting", () => {
    expect(queuedOf({ queued: 4_999 })).toBe("4,999");
    expect(queuedOf({ queued: 5_000 })).toBe("5,000+");
  });
});
