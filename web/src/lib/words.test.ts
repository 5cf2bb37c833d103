import { describe, expect, it } from "vitest";
import type { Definition } from "@/api/types";
import { bodyOf, fieldsOf } from "@/pages/jobs/definition";
import { fromLines, quoteWords, toLines } from "./words";

describe("words of a command", () => {
  it("are quoted only where they must be", () => {
    expect(quoteWords(["python", "-m", "a b", "it's", ""])).toBe("python -m 'a b' 'it'\\''s' ''");
  });
});

describe("lines of names and values", () => {
  it("are read as they were written, with signs in values", () => {
    const values = { PATH: "/bin:/usr/bin", QUERY: "a=b=c", EMPTY: "" };
    expect(fromLines(toLines(values, "="), "=")).toEqual(values);
  });

  it("keep what a line cannot hold: breaks, spaces around, quotes", () => {
    const values = { KEY: "-----BEGIN\nabc=\n-----END\n", PAD: " x ", SAID: '"so"', HALF: '"a' };
    expect(fromLines(toLines(values, "="), "=")).toEqual(values);
  });

  it("leave empty lines out", () => {
    expect(fromLines("A: 1\n\n  B:2 \nC", ":")).toEqual({ A: "1", B: "2", C: "" });
  });
});

describe("a definition in a form", () => {
  const old: Definition = {
    name: "ping",
    kind: "http",
    command: null,
    env: null,
    cwd: null,
    http: {
      url: "https://a.example/x",
      method: "PUT",
      headers: { A: "1" },
      body: "{}",
      expect: [204],
    },
    function: null,
    dependencies: ["first"],
    queue: "web",
    priority: 10,
    retries: 0,
    backoff: "fixed",
    retryDelay: 2,
    retryCap: 3600,
    retryWithin: null,
    jitter: 0,
    breaker: null,
    timeout: 30,
    deadline: "2h",
    expires: null,
    onFailure: "tell",
    schedule: { trigger: { type: "cron" } },
    arguments: { x: 1 },
    labels: { team: "web" },
  };
  const formOf = (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  };

  it("is the same when nothing is changed", () => {
    expect(bodyOf(formOf(fieldsOf(old)), "http", old)).toEqual({
      name: "ping",
      http: old.http,
      dependencies: ["first"],
      queue: "web",
      priority: 10,
      retries: 0,
      backoff: "fixed",
      retryDelay: 2,
      retryCap: 3600,
      retryWithin: null,
      jitter: 0,
      breaker: null,
      timeout: 30,
      deadline: "2h",
      expires: null,
      onFailure: "tell",
      schedule: old.schedule,
      arguments: { x: 1 },
      labels: { team: "web" },
    });
  });

  it("leaves out what is empty, and the zone of a schedule that is not there", () => {
    const form = formOf({ ...fieldsOf(undefined), name: "a", command: "ls -l", timezone: "UTC" });
    expect(bodyOf(form, "command")).toMatchObject({
      name: "a",
      command: "ls -l",
      queue: null,
      retries: null,
      schedule: null,
      timezone: null,
    });
  });
});
