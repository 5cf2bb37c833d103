import { describe, expect, it } from "vitest";
import {
  asField,
  clock,
  day,
  duration,
  fromField,
  planned,
  relative,
  sinceOf,
  span,
  utc,
} from "./time";

const NOW = Date.parse("2026-11-15T20:00:00Z");

describe("durations", () => {
  it.each([
    [0, "0 ms"],
    [850, "850 ms"],
    [999.7, "1.0 s"],
    [4_240, "4.2 s"],
    [9_999, "10 s"],
    [59_700, "1m 00s"],
    [187_000, "3m 07s"],
    [3_599_600, "1h 00m"],
    [7_500_000, "2h 05m"],
    [367_200_000, "4d 6h"],
  ])("%d ms is %s", (ms, text) => expect(duration(ms)).toBe(text));

  it("is a dash for what is not known", () => {
    expect(duration(null)).toBe("–");
    expect(duration(Number.NaN)).toBe("–");
  });

  it("of something that goes on ends now", () => {
    expect(span("2026-11-15T19:59:50Z", null, NOW)).toBe(10_000);
    expect(span(null, null, NOW)).toBeNull();
  });
});

describe("instants", () => {
  it("are told by their distance", () => {
    expect(relative("2026-11-15T19:59:59Z", NOW)).toBe("just now");
    expect(relative("2026-11-15T19:59:18Z", NOW)).toBe("42 s ago");
    expect(relative("2026-11-15T22:00:00Z", NOW)).toBe("in 2 h");
    expect(relative(NOW - 59_700, NOW)).toBe("1 min ago");
    expect(relative(NOW + 3_599_000, NOW)).toBe("in 1 h");
    expect(relative(NOW - 86_390_000, NOW)).toBe("1 d ago");
    expect(relative("2026-11-12T20:00:00Z", NOW)).toBe("3 d ago");
  });

  it("show the date only when it is not today in the viewer's zone", () => {
    expect(clock("2026-11-15T06:05:04Z", NOW, "UTC")).toBe("06:05:04");
    expect(clock("2026-11-15T06:05:04Z", NOW, "Pacific/Auckland")).toBe("15 Nov, 19:05:04");
    expect(clock("2025-11-15T06:05:04Z", NOW, "UTC")).toBe("15 Nov 2025, 06:05");
  });

  it("belong to the viewer's day", () => {
    expect(day(new Date(NOW), "UTC")).toBe("2026-11-15");
    expect(day(new Date(NOW), "Asia/Tokyo")).toBe("2026-11-16");
  });

  it("have UTC to the millisecond for the hover", () => {
    expect(utc("2026-11-15T20:37:52.123Z")).toBe("2026-11-15 20:37:52.123 UTC");
  });

  it("can be said as a time before now", () => {
    expect(sinceOf("1h", NOW)).toBe("2026-11-15T19:00:00.000Z");
    expect(sinceOf("2026-01-01T00:00:00Z", NOW)).toBe("2026-01-01T00:00:00Z");
    expect(sinceOf(undefined, NOW)).toBeUndefined();
  });
});

describe("what is planned", () => {
  it("has its weekday, and seconds only if there are some", () => {
    expect(planned("2026-11-17T01:30:00Z", "Europe/Paris")).toBe("Tue 17 Nov, 02:30");
    expect(planned("2026-11-17T01:30:20Z", "Europe/Paris")).toBe("Tue 17 Nov, 02:30:20");
  });
});

describe("a field for date and time", () => {
  it("shows the instant that it was given, to the minute", () => {
    const text = asField("2026-11-17T01:30:45Z");

    expect(new Date(text).toISOString()).toBe("2026-11-17T01:30:00.000Z");
  });

  it.each([2, 20, 202, 2026])("keeps a year that is being typed: %d", (year) => {
    const typed = `${String(year).padStart(4, "0")}-11-17T01:30`;
    expect(asField(fromField(typed))).toBe(typed);
  });

  it.each([undefined, "", "24h", "nonsense"])("is empty for %s", (text) =>
    expect(asField(text)).toBe(""),
  );
});
