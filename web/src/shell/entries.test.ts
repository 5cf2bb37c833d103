import { expect, test, vi } from "vitest";
import type { Found } from "@/api/types";
import { foundFor, type Lists, listedFor } from "./entries";

const NONE: Lists = {
  queues: [],
  workers: [],
  templates: [],
  calendars: [],
  blackouts: [],
  groups: [],
};
const FOUND: Found = { runs: [], jobs: [], schedules: [], logs: [] };

const named = (items: object[]) => items as never;

test("a schedule leads to its page, and tells its job unless that has the same name", () => {
  const open = vi.fn();
  const entries = foundFor(
    {
      ...FOUND,
      schedules: [
        { name: "report", job: "report", state: "active" },
        { name: "dawn", job: "report", state: "paused" },
      ],
    },
    open,
  );
  expect(entries.map(({ group, title, more }) => [group, title, more])).toEqual([
    ["Schedules", "report", ""],
    ["Schedules", "dawn", "report · Paused"],
  ]);
  entries[1]?.go();
  expect(open).toHaveBeenCalledWith("/schedules", {}, { edit: "dawn" });
});

test("a graph leads to its picture, a job to its page", () => {
  const open = vi.fn();
  const job = { queue: "default", version: 1 };
  const entries = foundFor(
    {
      ...FOUND,
      jobs: [
        { jobId: "order", kind: "graph", ...job },
        { jobId: "orders", kind: "python", ...job },
      ],
    },
    open,
  );
  for (const entry of entries) entry.go();
  expect(open.mock.calls).toEqual([
    ["/jobs/$id", { id: "orders" }],
    ["/graphs/$name", { name: "order" }],
  ]);
});

test("lists are searched by all that a person may know of a thing", () => {
  const lists: Lists = {
    ...NONE,
    workers: named([{ id: "w1", name: "box-7", host: "rack-a", alive: false }]),
    groups: named([{ group: "f1", job: "pay", errorType: "OSError", message: "no net", open: 3 }]),
    calendars: named([{ name: "alps" }]),
  };
  const titles = (wanted: string) =>
    listedFor(wanted, lists, vi.fn()).map(({ group, title, more }) => [group, title, more]);
  expect(titles("RACK")).toEqual([["Workers", "box-7", "Silent"]]);
  expect(titles("oserror")).toEqual([["Dead letters", "pay: OSError: no net", "3 open"]]);
  expect(titles("alp")).toEqual([["Calendars", "alps", undefined]]);
  expect(titles("nothing")).toEqual([]);
});

test("of many that fit the first few are listed", () => {
  const many = Array.from({ length: 50 }, (_, at) => ({ name: `queue-${at}`, queued: 0 }));
  expect(listedFor("queue", { ...NONE, queues: named(many) }, vi.fn())).toHaveLength(6);
});
