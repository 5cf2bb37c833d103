import { expect, it } from "vitest";
import {
  type Definition,
  definitionOf,
  fieldsOf,
  fitsForm,
  kindOf,
  problemOf,
} from "./templateDefinition";

const blank = (name: string) => `\${${name}}`;

function throughForm(definition: Definition): Definition {
  const fields = new FormData();
  for (const [name, value] of Object.entries(fieldsOf(definition))) fields.set(name, value);
  return definitionOf(fields, kindOf(definition), definition);
}

it.each<[string, Definition]>([
  [
    "a program",
    {
      name: `report-${blank("region")}`,
      command: `python report.py ${blank("region")}`,
      env: { REGION: blank("region") },
      retries: blank("retries"),
      timeout: "10m",
      priority: 5,
      schedule: `0 ${blank("hour")} * * *`,
      timezone: "Europe/Paris",
      dependencies: ["load", blank("before")],
    },
  ],
  [
    "a request",
    {
      name: blank("name"),
      http: {
        url: `https://${blank("host")}/run`,
        method: "PUT",
        headers: { Accept: "*/*" },
        body: "{}",
        expect: [200, blank("status")],
      },
      queue: "web",
    },
  ],
  [
    "what has no field",
    {
      name: "x",
      command: "true",
      arguments: { day: blank("day") },
      schedule: { every: "10m", catchup: "all" },
    },
  ],
])("a form gives back what it was given: %s", (_, definition) => {
  expect(fitsForm(definition)).toBe(true);
  expect(throughForm(definition)).toEqual(definition);
});

it("words of a command become a line, with blanks as they are", () => {
  const command = ["sh", "-c", "echo a b", blank("x"), `--n=${blank("n")}`];
  expect(fieldsOf({ name: "x", command }).command).toBe(
    `sh -c 'echo a b' ${blank("x")} --n=${blank("n")}`,
  );
});

it.each<[string, Definition]>([
  ["neither a program nor a request", { name: "x" }],
  ["both", { name: "x", command: "true", http: { url: "https://x" } }],
  ["a field of another kind", { name: "x", command: "true", env: ["A=1"] }],
  ["a request with more", { name: "x", http: { url: "https://x", retry: {} } }],
])("what the form cannot show stays JSON: %s", (_, definition) => {
  expect(fitsForm(definition)).toBe(false);
});

it.each<[Record<string, string>, object]>([
  [{ field: "http.url" }, { field: "url" }],
  [{ field: "queue" }, { field: "queue" }],
  [{ parameter: "a b" }, { blank: "a b" }],
  [{}, {}],
])("what the server says belongs beside a field: %o", (facts, place) => {
  const told = problemOf({ detail: "definition: it is wrong", facts });
  expect(told).toEqual({ ...place, says: "it is wrong" });
});
