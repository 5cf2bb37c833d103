/** The one way to the server: JSON over fetch, problems as errors, changes safe to send again. */
import { replaceEqualDeep } from "@tanstack/react-query";
import { noteServerTime } from "@/lib/clock";
import { parseJson, writeJson } from "@/lib/json";
import { forPeople, isUnanswered } from "./advice";
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

/** What was shown is not there, or not for us, any more; other failures leave it as it was. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && [401, 403, 404].includes(error.status);
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
  /** Make it, unless there is one of that name already. */
  isNew?: boolean;
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
  isNew?: boolean;
  key?: string;
}

let csrf: string | null = null;

/** The token that a session's changes carry; sessions by cookie need it, bearers do not. */
export function rememberCsrf(token: string | null | undefined): void {
  csrf = token ?? null;
}

const SESSION = address("showSession");

type Check = () => Promise<boolean>;
let check: Check | null = null;
let isOut = false;

/** Who is asked whether a session that was refused is still one; answers no for who is signed out. */
export function onRefusal(found: Check | null): void {
  check = found;
  isOut = false;
}

/** Somebody looks at the page again, and may have signed in elsewhere meanwhile. */
export function mayBeBack(): void {
  isOut = false;
}

/** The server's own page for people who are not signed in; it leads back to where they were. */
export function signInAddress(from: string): string {
  return from === "/" ? "/login" : `/login?next=${encodeURIComponent(from)}`;
}

/** Questions carry it too: a page of one session is not to be answered in another one. */
export function csrfHeader(): Record<string, string> {
  return csrf ? { "X-CSRF-Token": csrf } : {};
}

/** Where an operation is, with its names and its question escaped. */
export function address(name: Operation, path: (string | number)[] = [], query: object = {}) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") search.append(key, String(each));
    }
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
  const url = address(name, path, query);
  const text = change.body === undefined ? undefined : writeJson(change.body);
  if (method !== "POST") return send(method, url, text, change);
  const said = `${url}\n${text}`;
  const key = change.key ?? keyOf(said);
  try {
    const answer = await send<Answer<Name>>(method, url, text, { ...change, key });
    unanswered.delete(said);
    return answer;
  } catch (error) {
    if (isAnswered(error) || change.signal?.aborted) unanswered.delete(said);
    else keepUnanswered(said, key);
    throw error;
  }
}

/** Wishes whose answer got lost: nobody knows whether they were granted. */
const unanswered = new Map<string, { key: string; at: number }>();
const SAME_WISH_MS = 600_000;

/** Each for a while: some are large, and a page may be open for weeks. */
function keepUnanswered(said: string, key: string): void {
  const now = Date.now();
  for (const [each, { at }] of unanswered) {
    if (now - at >= SAME_WISH_MS) unanswered.delete(each);
  }
  unanswered.set(said, { key, at: now });
}

/** Who presses a button again because there was no answer means the same wish, not a second one. */
function keyOf(said: string): string {
  const before = unanswered.get(said);
  if (before && Date.now() - before.at < SAME_WISH_MS) return before.key;
  // Pages that do not come over HTTPS have no crypto.randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function isAnswered(error: unknown): boolean {
  return error instanceof ApiError && !isUnanswered(error.problem);
}

/** Once more if the cookie belongs to another session by now, and that is the same person's. */
async function send<T>(
  method: string,
  url: string,
  text: string | undefined,
  change: Loose,
): Promise<T> {
  const isQuestionOfSession = method === "GET" && url === SESSION;
  if (isOut && !isQuestionOfSession) throw new ApiError(SIGNED_OUT);
  const token = csrf;
  try {
    return await sendOnce<T>(method, url, text, change);
  } catch (error) {
    const isRefused = error instanceof ApiError && [401, 403].includes(error.status);
    if (!isRefused || isQuestionOfSession || !check) throw error;
    isOut = !(await check());
    if (csrf === token) throw error;
    return sendOnce<T>(method, url, text, change);
  }
}

/** Longer than any answer takes: what is still silent has lost its connection. */
const PATIENCE_MS = 120_000;

/** A question may be asked anew; of a change nobody would know whether it was made. */
async function sendOnce<T>(
  method: string,
  url: string,
  text: string | undefined,
  change: Loose,
): Promise<T> {
  if (method !== "GET") return exchange<T>(method, url, text, change);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), PATIENCE_MS);
  const signal = AbortSignal.any([late.signal, ...(change.signal ? [change.signal] : [])]);
  try {
    return await exchange<T>(method, url, text, { ...change, signal });
  } catch (error) {
    throw late.signal.aborted ? new ApiError(UNREACHABLE) : error;
  } finally {
    clearTimeout(timer);
  }
}

async function exchange<T>(
  method: string,
  url: string,
  text: string | undefined,
  change: Loose,
): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (text !== undefined) headers["Content-Type"] = "application/json";
  if (change.key) headers["Idempotency-Key"] = change.key;
  if (change.ifMatch) headers["If-Match"] = change.ifMatch;
  if (change.isNew) headers["If-None-Match"] = "*";
  // Which session there is by now is asked without the one that was.
  if (method !== "GET" || url !== SESSION) Object.assign(headers, csrfHeader());
  let answer: Response;
  const askedAt = Date.now();
  try {
    answer = await fetch(url, {
      method,
      headers,
      body: text,
      credentials: "same-origin",
      signal: change.signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(forPeople(UNREACHABLE, method !== "GET"));
  }
  noteServerTime(answer.headers.get("Date"), askedAt);
  if (!answer.ok) throw new ApiError(forPeople(await problemOf(answer), method !== "GET"));
  if (answer.status === 204) return undefined as T;
  const data = await readAnswer<T>(answer, method !== "GET");
  const etag = answer.headers.get("ETag");
  if (etag && data && typeof data === "object") etags.set(data, etag);
  return data;
}

/** It may break off, and a proxy may answer 200 with a page of its own. */
async function readAnswer<T>(answer: Response, isChange: boolean): Promise<T> {
  try {
    return parseJson(await answer.text()) as T;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(forPeople(UNREADABLE, isChange));
  }
}

const etags = new WeakMap<object, string>();

/** The version that the server gave a definition when we read it. */
export function etagOf(data: unknown): string | null {
  return typeof data === "object" && data !== null ? (etags.get(data) ?? null) : null;
}

/** What did not change stays the same object, so that it is not drawn again; its version goes along. */
export function sharing(old: unknown, fresh: unknown): unknown {
  const kept: unknown = replaceEqualDeep(old, fresh);
  const etag = etagOf(fresh);
  if (etag) etags.set(kept as object, etag);
  return kept;
}

export const SIGNED_OUT: Problem = {
  title: "Signed out",
  status: 401,
  code: "not-signed-in",
  detail: "Your session has ended.",
  remedy: "Sign in again in another tab, come back and try again: what you wrote stays.",
};

const UNREADABLE: Problem = {
  title: "No answer",
  status: 0,
  code: "unreadable",
  detail: "The answer broke off, or was none of this server.",
  remedy: "Try again; if a proxy stands in between, look at its log.",
};

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
        ...(told.facts && { facts: told.facts }),
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
