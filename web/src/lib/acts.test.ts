import { expect, it } from "vitest";
import { subjectOf, whoOf } from "./acts";

const ID = "01a1e59b-eb3a-733b-aa8e-82451b75d781";

it("calls a token by its name and everybody else as the server does", () => {
  expect(whoOf("token:ci of the shop")).toBe("ci of the shop");
  expect(whoOf("Ada (oidc 17)")).toBe("Ada (oidc 17)");
});

it.each([
  ["create token", ID, "ci", "ci", null],
  ["revoke token", ID, null, "1b75d781", null],
  ["drain worker", ID, "box-7", "box-7", null],
  ["cancel run", ID, null, "1b75d781", `/runs/${ID}`],
  ["redrive", `run ${ID}`, null, "1b75d781", `/runs/${ID}`],
  ["define job", "a/b", null, "a/b", "/jobs/a%2Fb"],
  ["remove job", "a/b", null, "a/b", null],
  ["put schedule", "nightly", null, "nightly", "/schedules?edit=nightly"],
  ["pause queue", "mail", null, "mail", "/queues/mail"],
  ["sign in", "token:ada", null, "ada", null],
  ["submit", "3 runs", null, "3 runs", null],
  ["submit", "charge", null, "charge", "/jobs/charge"],
])("%s %s", (verb, subject, subjectName, text, to) => {
  expect(subjectOf({ verb, subject, subjectName })).toMatchObject({ text, to });
});
