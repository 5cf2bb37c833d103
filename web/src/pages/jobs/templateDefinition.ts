/** The definition of a template as the fields of a job's form, and back. Any text may hold ${blanks}. */
import type { Problem as ServerProblem } from "@/api/client";
import { quoteWords, toLines } from "@/lib/words";
import { bodyOf, type Kind } from "./definition";

export type Definition = Record<string, unknown>;

const TEXTS = ["name", "cwd", "queue", "timezone", "onFailure"] as const;
const NUMBERS = ["priority", "retries", "timeout", "expires"] as const;
const OWN = [...TEXTS, ...NUMBERS, "schedule", "command", "http", "env", "dependencies"];
const HTTP = ["url", "method", "headers", "body", "expect"];

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === "string";
const isScalar: Test = (value) => isText(value) || typeof value === "number";
const isObject: Test = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts: Test = (value) => isObject(value) && Object.values(value as object).every(isText);
const isList: Test = (value) => Array.isArray(value) && value.every(isScalar);
const isNone: Test = (value) => value === undefined || value === null;

/** Whether its fields can show it whole; what has no field is kept as it is. */
export function fitsForm(given: Definition): boolean {
  const fits = (names: readonly string[], test: Test, within = given) =>
    names.every((name) => isNone(within[name]) || test(within[name]));
  const http = given.http as Definition | undefined;
  const isOne = isNone(given.http) !== isNone(given.command);
  return (
    isOne &&
    fits(TEXTS, isText) &&
    fits(NUMBERS, isScalar) &&
    fits(["schedule"], (value) => isText(value) || isObject(value)) &&
    fits(["command"], (value) => isText(value) || isList(value)) &&
    fits(["env"], isTexts) &&
    fits(["dependencies"], isList) &&
    fits(["http"], isObject) &&
    (isNone(http) ||
      (fits(["url", "method", "body"], isText, http) &&
        fits(["headers"], isTexts, http) &&
        fits(["expect"], isList, http) &&
        Object.keys(http as object).every((name) => HTTP.includes(name))))
  );
}

/** What stands in the definition and in no field. */
export function othersOf(given: Definition): Definition {
  const isOther = ([name, value]: [string, unknown]) =>
    !OWN.includes(name) || (name === "schedule" && isObject(value));
  return Object.fromEntries(Object.entries(given).filter(isOther));
}

export const kindOf = (given: Definition): Kind => (isNone(given.http) ? "command" : "http");

export function fieldsOf(given: Definition): Record<string, string> {
  const text = (value: unknown) => (isScalar(value) ? String(value) : "");
  const list = (value: unknown) => (isList(value) ? (value as unknown[]).join(", ") : "");
  const lines = (value: unknown, between: string) =>
    toLines((value ?? {}) as Record<string, string>, between);
  const http = (given.http ?? {}) as Definition;
  return {
    ...Object.fromEntries([...TEXTS, ...NUMBERS].map((name) => [name, text(given[name])])),
    schedule: text(given.schedule),
    command: isList(given.command) ? wordsOf(given.command as string[]) : text(given.command),
    env: lines(given.env, "="),
    dependencies: list(given.dependencies),
    url: text(http.url),
    method: text(http.method) || "POST",
    headers: lines(http.headers, ": "),
    body: text(http.body),
    expect: list(http.expect),
  };
}

/** A blank needs no quotes: the server puts its value in after it has split the line. */
function wordsOf(words: unknown[]): string {
  return words
    .map((word) => (BLANKS.test(String(word)) ? String(word) : quoteWords([String(word)])))
    .join(" ");
}

const BLANKS = /^(?:[\w@%+=:,./-]|\$\{\w+\})+$/;

/** What the form says; empty fields are left out, and what has no field is as it was. */
export function definitionOf(fields: FormData, kind: Kind, before: Definition): Definition {
  const told: Definition = bodyOf(fields, kind);
  const http = told.http as Definition | undefined;
  const all = {
    ...told,
    priority: numberOr(fields, "priority"),
    retries: numberOr(fields, "retries"),
    timezone: String(fields.get("timezone") ?? "").trim(),
    ...(http && { http: said({ ...http, expect: listOf(fields, "expect") }) }),
    ...othersOf(before),
  };
  return said(all);
}

/** Plain numbers as such; a blank, or whatever else, as it is written. */
function numberOr(fields: FormData, name: string): number | string {
  return scalarOf(String(fields.get(name) ?? ""));
}

function scalarOf(text: string): number | string {
  const trimmed = text.trim();
  return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
}

function listOf(fields: FormData, name: string): (number | string)[] {
  const parts = String(fields.get(name) ?? "").split(",");
  return parts.map(scalarOf).filter((each) => each !== "");
}

function said(definition: Definition): Definition {
  const isEmpty = (value: unknown) =>
    isNone(value) ||
    value === "" ||
    (typeof value === "object" && Object.keys(value as object).length === 0);
  return Object.fromEntries(Object.entries(definition).filter(([, value]) => !isEmpty(value)));
}

export interface Problem {
  /** The field or the blank that it is about. */
  field?: string;
  blank?: string;
  says: string;
}

/** Where the server's words belong: its facts name the field or the blank. */
export function problemOf(problem: Pick<ServerProblem, "detail" | "facts">): Problem {
  const { field, parameter } = problem.facts ?? {};
  const says = problem.detail.replace(/^(definition|parameters): /, "");
  if (parameter) return { blank: String(parameter), says };
  // The fields of a request stand beside the others: `http.url` is `url`.
  return field ? { field: String(field).replace(/^http\./, ""), says } : { says };
}
