/** The one way to the server: JSON over fetch, problems as errors, changes safe to send again. */
import type { Problem } from "./types";

export const BASE = "/api/v1";

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

export type Query = Record<string, string | number | boolean | null | undefined>;

let csrf: string | null = null;

/** The token that a session's changes carry; sessions by cookie need it, bearers do not. */
export function rememberCsrf(token: string | null | undefined): void {
  csrf = token ?? null;
}

export function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `${BASE}${path}${text ? `?${text}` : ""}`;
}

/** A path with its names escaped: at`/jobs/${name}`. */
export function at(parts: TemplateStringsArray, ...names: (string | number)[]): string {
  return parts.reduce((path, part, index) => {
    const name = index < names.length ? encodeURIComponent(String(names[index])) : "";
    return path + part + name;
  }, "");
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return send<T>("GET", address(path, query), { signal });
}

interface Change {
  body?: unknown;
  signal?: AbortSignal;
  ifMatch?: string | null;
  /** The same for every try of one wish, so that the server does it once. */
  key?: string;
}

export async function post<T>(path: string, body: unknown = {}, change: Change = {}): Promise<T> {
  return send<T>("POST", address(path), { key: crypto.randomUUID(), ...change, body });
}

export async function put<T>(path: string, body: unknown, change: Change = {}): Promise<T> {
  return send<T>("PUT", address(path), { ...change, body });
}

export async function remove<T>(path: string, change: Change = {}): Promise<T> {
  return send<T>("DELETE", address(path), change);
}

/** The one form of the server: it answers with a redirect and the cookie of a session. */
export async function signIn(fields: Record<string, string>): Promise<void> {
  const answer = await fetch("/login", {
    method: "POST",
    body: new URLSearchParams(fields),
    credentials: "same-origin",
    redirect: "manual",
  }).catch(() => null);
  if (answer === null) throw new ApiError(UNREACHABLE);
  if (answer.type === "opaqueredirect" || answer.ok) return;
  throw new ApiError(answer.status === 401 ? REFUSED : await problemOf(answer));
}

const REFUSED: Problem = {
  title: "Refused",
  status: 401,
  code: "not-signed-in",
  detail: "This token is not good, or not any more.",
  remedy: "Check it for missing characters, or ask for a new one.",
};

async function send<T>(method: string, url: string, change: Change): Promise<T> {
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
        ...(told.fields && { fields: told.fields }),
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
