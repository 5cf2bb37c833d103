import { expect, test } from "vitest";
import type { Concern, Incident } from "@/api/types";
import { newIn } from "./Attention";

const INCIDENT = { id: "1", kind: "queue.unserved", queue: "mail", job: null } as Incident;
const CONCERN = { kind: "unserved", subject: "mail" } as Concern;

test("an incident that is a problem on the page already is not shown twice", () => {
  expect(newIn([INCIDENT], [CONCERN])).toEqual([]);
  expect(newIn([INCIDENT], [{ ...CONCERN, subject: "" }])).toEqual([]);
});

test("an incident of another queue, or of failed runs, is shown beside it", () => {
  const failed = { id: "2", kind: "run.failed", queue: null, job: "mail" } as Incident;
  const other = { ...INCIDENT, id: "3", queue: "fax" };

  expect(newIn([failed, other], [CONCERN])).toEqual([failed, other]);
});
