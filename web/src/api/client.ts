/** The one way to the server: JSON over fetch, problems as errors, changes safe to send again. */
import { type Problem as Document, type Operations, PLACES } from "./generated";

export const BASE = "/api/v1";

/** What went wrong; some of it happens before a server could tell. */
export type Problem = Omit<Document, "type">;

export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }
}

export type Operation = keyof Operations;
export type Answer<Name extends Operation> = Operations[Name]["answer"];
export type Body<Name extends Operation> = Operations[Name] extends { body?: infer Sent }
  ? Sent
  : undefined;

/** What an operation takes, and what all of them may be given. */
export type Wish<Name extends Operation> = Omit<Operations[Name], "answer"> & {
  signal?: AbortSignal | undefined;
  /** The ETag that was read; if somebody changed it since, the server refuses. */
  ifMatch?: string | null;
  /** The same for every try of one wish, so that the server does it once. */
  key?: string;
};

type Needed<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };
type Given<Name extends Operation> =
  Needed<Omit<Operations[Name], "answer">> extends Record<string, never>
    ? [wish?: Wish<Name>]
    : [wish: Wish<Name>];

interface Loose {
  path?: (string | number)[];
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  ifMatch?: string | null;
  key?: string;
}

let csrf: string | null = null;

/** The token that a session's changes carry; sessions by cookie need it, bearers do not. */
export function rememberCsrf(token: string | null | undefined): void {
  csrf = token ?? null;
}

/** The server's own page for people who are not signed in; it leads back to where they were. */
export function signInAddress(from: string): string {
  return from === "/" ? "/login" : `/login?next=${encodeURIComponent(from)}`;
}

/** Where an operation is, with its names and its question escaped. */
export function address(name: Operation, path: (string | number)[] = [], query: object = {}) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(key, String(value));
  }
  const names = path.map((each) => encodeURIComponent(String(each)));
  const place = PLACES[name].replace(/^\w+ /, "").replace(/\{\}/g, () => names.shift() ?? "");
  const text = search.toString();
  return `${BASE}${place}${text ? `?${text}` : ""}`;
}

/** Asks one operation of the API, by the name that its description gives it. */
export async function ask<Name extends Operation>(
  name: Name,
  ...[wish]: Given<Name>
): Promise<Answer<Name>> {
  const { path, query, ...change } = (wish ?? {}) as Loose;
  const method = PLACES[name].slice(0, PLACES[name].indexOf(" "));
  if (method === "POST") change.key ??= crypto.randomUUID();
  return send(method, address(name, path, query), change);
}

async function send<T>(method: string, url: string, change: Loose): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (change.body !== undefined) headers["Content-Type"] = "application/json";
  if (change.key) headers["Idempotency-Key"] = change.key;
  if (change.ifMatch) headers["If-Match"] = change.ifMatch;
  if (method !== "GET" && csrf) headers["X-CSRF-Token"] = csrf;
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers,
      body: change.body === undefined ? undefined : JSON.stringify(change.body),
      credentials: "same-origin",
      signal: change.signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(UNREACHABLE);
  }
  if (!answer.ok) throw new ApiError(await problemOf(answer));
  if (answer.status === 204) return undefined as T;
  const data = (await answer.json()) as T;
  const etag = answer.headers.get("ETag");
  if (etag && data && typeof data === "object") etags.set(data, etag);
  return data;
}

const etags = new WeakMap<object, string>();

/** The version that the server gave a definition when we read it. */
export function etagOf(data: unknown): string | null {
  return typeof data === "object" && data !== null ? (etags.get(data) ?? null) : null;
}

const UNREACHABLE: Problem = {
  title: "No answer",
  status: 0,
  code: "unreachable",
  detail: "The server did not answer.",
  remedy: "Check that it runs and that this machine reaches it; the page tries again by itself.",
};

async function problemOf(answer: Response): Promise<Problem> {
  try {
    const told = (await answer.json()) as Partial<Problem>;
    if (told && typeof told.detail === "string") {
      return {
        title: told.title ?? answer.statusText,
        status: answer.status,
        code: told.code ?? "unknown",
        detail: told.detail,
        remedy: told.remedy ?? "",
        ...(told.requestId && { requestId: told.requestId }),
      };
    }
  } catch {
    // Not a problem document: something between us and the server answered.
  }
  return {
    title: answer.statusText || "Error",
    status: answer.status,
    code: "unexpected",
    detail: `The answer was ${answer.status} ${answer.statusText}.`.trim(),
    remedy: "If a proxy stands in between, look at its log; else at that of the server.",
  };
}
