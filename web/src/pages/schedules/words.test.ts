import { describe, expect, it } from "vitest";
import { ownOf, placeOf } from "./Calendars";
import { whyNone } from "./PastFirings";
import { countsOf } from "./ScheduleCard";

describe("what became of a schedule's firings", () => {
  it("is told without what did not happen", () => {
    expect(countsOf({ fired: 0, missed: 0, skipped: 0 })).toBe("Never fired");
    expect(countsOf({ fired: 1, missed: 0, skipped: 0 })).toBe("Fired 1 time");
    expect(countsOf({ fired: 12_000, missed: 2, skipped: 1 })).toBe(
      "Fired 12K times, 2 missed, 1 left out",
    );
  });
});

describe("an instant without a run", () => {
  const past = { at: "", kind: "time", decidedAt: "", state: null };

  it("says why there is none", () => {
    expect(whyNone({ ...past, decision: "blackout", executionId: null })).toBe(
      "Left out by a maintenance window",
    );
    expect(whyNone({ ...past, decision: "started", executionId: "1" })).toBe(
      "The run is no longer kept",
    );
    expect(whyNone({ ...past, decision: "of-a-newer-server", executionId: null })).toBe(
      "of-a-newer-server",
    );
  });
});

describe("a calendar", () => {
  it("names its country and its own days", () => {
    expect(placeOf("FR")).toBe("France (FR)");
    expect(placeOf("XNYS")).toBe("XNYS");
    expect(placeOf("US-CA")).toBe("US-CA");
    expect(ownOf({ off: ["2026-12-24"], on: [] })).toBe("1 more day off");
    expect(ownOf({ off: [], on: [] })).toBe("No days of its own");
  });
});
