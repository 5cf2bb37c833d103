import { expect, test } from "vitest";
import type { SavedView } from "@/api/types";
import {
  filterOf,
  isShown,
  labelTexts,
  linesOf,
  searchOf,
  typedLabel,
  withLabel,
  withoutLabel,
} from "./labels";

test("labels are added once and taken away", () => {
  const two = withLabel(withLabel(withLabel(undefined, "team=a"), "n>1"), "team=a");
  expect(linesOf(two)).toEqual(["team=a", "n>1"]);
  expect(withoutLabel(two, "n>1")).toBe("team=a");
  expect(withoutLabel("team=a", "team=a")).toBeUndefined();
});

test("labels are shown as the conditions that find them", () => {
  expect(labelTexts({ team: "a", n: 12, urgent: true })).toEqual(["team=a", "n=12", "urgent=true"]);
  expect(labelTexts(undefined)).toEqual([]);
});

test("values are offered once there is a name", () => {
  expect(typedLabel("te")).toEqual({ prefix: "" });
  expect(typedLabel("team=bi")).toEqual({ name: "team", prefix: "bi" });
  expect(typedLabel("=bi")).toEqual({ prefix: "" });
});

test("a view comes back as the filters that it was saved with", () => {
  const search = { status: "failed", label: "team=a\nn>1", since: "24h", jobId: "charge" };
  const filter = filterOf(search);
  expect(filter).toEqual({
    status: "failed",
    label: ["team=a", "n>1"],
    since: "24h",
    jobId: "charge",
  });
  const view = { name: "v", filter } as SavedView;
  expect(isShown(view, searchOf(filter))).toBe(true);
  expect(isShown(view, search)).toBe(true);
  expect(isShown(view, { ...search, status: "running" })).toBe(false);
});

test("a view without steps hides them", () => {
  expect(filterOf({ status: "failed" })).toEqual({ status: "failed", steps: false });
  const steps = (filter: object) => searchOf(filter as SavedView["filter"]).steps;
  expect(steps({ status: "failed", steps: false })).toBeUndefined();
  expect(steps({ status: "failed" })).toBe("yes");
});
