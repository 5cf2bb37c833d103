import { afterEach, expect, test } from "vitest";
import { cellsOf, timesIn } from "./weekCells";

const zone = process.env.TZ;
afterEach(() => {
  process.env.TZ = zone;
});

const item = (schedule: string, at: string) => ({ schedule, job: "j", at, mark: null, marks: [] });
const past = (schedule: string, at: string, state: string | null) => ({
  schedule,
  at,
  kind: "time",
  decision: state ? "started" : "skipped",
  decidedAt: at,
  executionId: state ? "r1" : null,
  state,
});

test("firings stand in the hour of the reader's day, one entry for each schedule", () => {
  process.env.TZ = "Europe/Paris";
  const items = [
    item("a", "2026-03-05T07:30:00Z"),
    item("b", "2026-03-05T07:10:00Z"),
    item("a", "2026-03-05T07:00:00Z"),
    item("a", "2026-03-05T23:30:00Z"),
  ];
  const cells = cellsOf(items, []);

  expect([...cells.keys()]).toEqual(["2026-03-05 8", "2026-03-06 0"]);
  const entries = cells.get("2026-03-05 8") ?? [];
  expect(entries.map((each) => [each.schedule, timesIn(each)])).toEqual([
    ["a", ":00 :30"],
    ["b", ":10"],
  ]);
});

test("what is past tells how it ended; the worst of an hour counts", () => {
  process.env.TZ = "UTC";
  const at = "2026-03-05T07:00:00Z";
  const [entry] =
    cellsOf([], [past("a", at, "success"), past("a", at, "failed")]).get("2026-03-05 7") ?? [];

  expect(entry).toMatchObject({ schedule: "a", state: "failed", isPast: true, runId: "r1" });
  const [none] = cellsOf([], [past("a", at, null)]).get("2026-03-05 7") ?? [];
  expect(none).toMatchObject({ state: undefined, isPast: true });
});

test("many times in an hour are counted", () => {
  process.env.TZ = "UTC";
  const items = Array.from({ length: 5 }, (_, at) => item("a", `2026-03-05T07:0${at}:00Z`));
  const [entry] = cellsOf(items, []).get("2026-03-05 7") ?? [];

  expect(entry && timesIn(entry)).toBe("5×");
});
