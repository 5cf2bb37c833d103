/** A job's definition as the fields of a form, and back. */
import type { Body } from "@/api/client";
import type { Definition } from "@/api/types";
import { fromLines, namesOf, quoteWords, toLines } from "@/lib/words";

export type JobBody = Body<"defineNewJob">;
export type Kind = "command" | "http";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

/** What a form begins with; all of it text, as fields hold it. */
export function fieldsOf(definition: Definition | undefined): Record<string, string> {
  const http = definition?.http;
  const text = (value: unknown) => (value === null || value === undefined ? "" : String(value));
  return {
    name: text(definition?.name),
    command: quoteWords(definition?.command ?? []),
    env: toLines(definition?.env ?? {}, "="),
    cwd: text(definition?.cwd),
    url: text(http?.url),
    method: http?.method ?? "POST",
    headers: toLines(http?.headers ?? {}, ": "),
    body: text(http?.body),
    expect: http?.expect?.join(", ") ?? "",
    queue: definition?.queue ?? "",
    priority: definition ? text(definition.priority) : "",
    retries: text(definition?.retries),
    timeout: text(definition?.timeout),
    expires: text(definition?.expires),
    dependencies: definition?.dependencies.join(", ") ?? "",
    onFailure: text(definition?.onFailure),
  };
}

export function kindOf(definition: Definition | undefined, mayRunCommands: boolean): Kind {
  if (definition) return definition.http ? "http" : "command";
  return mayRunCommands ? "command" : "http";
}

/** What the API is sent; an empty field is left out, so that the server's own default counts. */
export function bodyOf(fields: FormData, kind: Kind, old?: Definition): JobBody {
  const text = (name: string) => String(fields.get(name) ?? "").trim();
  const number = (name: string) => (text(name) === "" ? null : Number(text(name)));
  const schedule = text("schedule") || null;
  return {
    name: old?.name ?? text("name"),
    ...(kind === "command" ? commandOf(text) : { http: httpOf(text, fields) }),
    dependencies: namesOf(text("dependencies")),
    queue: text("queue") || null,
    priority: number("priority"),
    retries: number("retries"),
    ...(old && keptOf(old)),
    timeout: spanOf(text("timeout")),
    expires: spanOf(text("expires")),
    onFailure: text("onFailure") || null,
    ...(old
      ? { schedule: old.schedule, arguments: old.arguments }
      : { schedule, timezone: schedule && (text("timezone") || null) }),
  };
}

/** What the form does not show stays as it is. */
function keptOf(old: Definition) {
  const { backoff, retryDelay, retryCap, retryWithin, jitter, breaker, deadline, labels } = old;
  const isOwn = backoff === "custom"; // of code, which no form changes
  const kept = { retryDelay, retryCap, retryWithin, jitter, breaker, deadline, labels };
  return { backoff: isOwn ? null : backoff, ...kept };
}

type Read = (name: string) => string;

function commandOf(text: Read) {
  return { command: text("command"), env: fromLines(text("env"), "="), cwd: text("cwd") || null };
}

function httpOf(text: Read, fields: FormData) {
  return {
    url: text("url"),
    method: text("method"),
    headers: fromLines(text("headers"), ":"),
    body: String(fields.get("body") ?? "") || null,
    expect: namesOf(text("expect")).map(Number),
  };
}

/** Plain numbers are seconds; anything else is for the server to read. */
function spanOf(text: string): string | number | null {
  if (text === "") return null;
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
