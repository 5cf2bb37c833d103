/** Acts of the audit in words: who did it, and what it was done to. */
import type { Act } from "@/api/types";
import { shortId } from "./format";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TOKEN = "token:";

/** A token by its name; people and machines are called as the server calls them. */
export function whoOf(who: string): string {
  return who.startsWith(TOKEN) ? who.slice(TOKEN.length) : who;
}

/** An id is told by its end; all else as it is. */
export function brief(text: string): string {
  return ID.test(text) ? shortId(text) : whoOf(text);
}

export interface Subject {
  text: string;
  /** Something is left out of the text. */
  isShort: boolean;
  /** Its page, if it has one. */
  to: string | null;
}

export function subjectOf({ verb, subject, subjectName }: SubjectFacts): Subject {
  const bare = subject.replace(/^run /, "");
  if (ID.test(bare)) {
    const isRun = !/token|worker|backfill/.test(verb);
    return {
      text: subjectName ?? shortId(bare),
      isShort: true,
      to: isRun ? `/runs/${bare}` : null,
    };
  }
  return { text: whoOf(subject), isShort: false, to: pageOf(verb, subject) };
}

type SubjectFacts = Pick<Act, "verb" | "subject" | "subjectName">;

function pageOf(verb: string, subject: string): string | null {
  const name = encodeURIComponent(subject);
  if (verb === "submit" && !/^\d+ runs$/.test(subject)) return `/jobs/${name}`;
  if (/\b(job|versions)$/.test(verb) && !verb.startsWith("remove")) return `/jobs/${name}`;
  if (/\bschedule$/.test(verb) && !verb.startsWith("remove")) return `/schedules?edit=${name}`;
  if (/\bqueue$/.test(verb)) return `/queues/${name}`;
  return null;
}
