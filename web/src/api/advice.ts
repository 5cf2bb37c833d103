/**
 * What a person does about a problem. The server's advice is for programs: headers, keys, requests.
 *
 * A page asks its questions again by itself. What was to be changed is sent by a person only, and of
 * a request without an answer nobody knows whether it was done.
 */
import type { Problem } from "./client";

const NOBODY_KNOWS =
  "It is not known whether this was done, and it is not sent again by itself. Try again: it is done once.";
const OF_CHANGES: Record<string, string> = {
  "store-unavailable":
    "Nothing was changed, and it is not sent again by itself. Try again when the database is back.",
  "bad-input": "Change what it names and try again; nothing was changed.",
  "bad-request": "Change what it names and try again; nothing was changed.",
  outdated:
    "Nothing was changed. Close this, open it again, and make your change to what it is now.",
  "too-many": "Nothing was changed. Wait a moment, then try again.",
  "not-signed-in": "Sign in again.",
};
const OF_QUESTIONS: Record<string, string> = {
  "store-unavailable": "It is tried again as soon as it is back.",
  "bad-input": "Check the address of this page and its filters.",
  "bad-request": "Check the address of this page and its filters.",
  "too-many": "Wait a moment, then try again.",
  "not-found": "Check the address of this page.",
  "not-signed-in": "Sign in again.",
};

/** A gateway that gives up does not know either. */
export function isUnanswered({ status }: Problem): boolean {
  return [0, 502, 503, 504].includes(status);
}

/** The problem with advice for who sits before a page. */
export function forPeople(problem: Problem, isChange: boolean): Problem {
  const known = (isChange ? OF_CHANGES : OF_QUESTIONS)[problem.code];
  if (known) return { ...problem, remedy: known };
  return isChange && isUnanswered(problem) ? { ...problem, remedy: NOBODY_KNOWS } : problem;
}
