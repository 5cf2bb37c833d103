import { expect, test } from "vitest";
import type { AlertRule } from "@/api/types";
import { bodyOf, ruleOf } from "./rule";

const RULE: AlertRule = {
  name: "night",
  on: ["run.failed"],
  to: ["ops", "gone"],
  jobs: ["etl.*"],
  queues: [],
  severity: "error",
  group: "job",
  after: 1,
  window: "10m",
  repeat: "4h",
  recovery: true,
  quiet: { begin: "22:00", end: "07:00", zone: "Europe/Paris" },
  atMost: 10,
  enabled: true,
  note: "",
  open: 2,
  missing: ["gone"],
  verbs: ["edit"],
};

function filled(values: Record<string, string | string[]>): FormData {
  const fields = new FormData();
  for (const [name, value] of Object.entries(values)) {
    for (const each of [value].flat()) fields.append(name, each);
  }
  return fields;
}

test("a rule is sent without what the server counts", () => {
  const body = bodyOf(RULE);

  expect(body).not.toHaveProperty("open");
  expect(body).not.toHaveProperty("name");
  expect(body).toMatchObject({ on: ["run.failed"], quiet: { begin: "22:00" } });
});

test("a form says the rule that it shows", () => {
  const { name, open, missing, verbs, ...written } = RULE;
  const fields = filled({
    on: ["run.failed"],
    to: ["ops"],
    otherTo: "gone",
    jobs: "etl.*",
    queues: "",
    severity: "error",
    group: "job",
    after: "1",
    window: "10m",
    repeat: "4h",
    recovery: "on",
    isQuiet: "on",
    begin: "22:00",
    end: "07:00",
    zone: "Europe/Paris",
    atMost: "10",
    enabled: "on",
    note: "",
  });

  expect(ruleOf(fields)).toEqual(written);
});

test("an empty reminder is never, and hours that are not ticked are none", () => {
  const fields = filled({ on: "run.failed", repeat: " ", begin: "22:00", end: "07:00" });

  expect(ruleOf(fields)).toMatchObject({ repeat: null, quiet: null, recovery: false });
});
