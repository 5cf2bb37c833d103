/** Acts that are written in words: "pause queue mail". */
import { Zap } from "lucide-react";
import { ACTIONS, type Action, offered, type Subject } from "@/api/actions";
import type { Acted } from "@/api/types";
import type { Entry } from "./entries";

/** Something with a name to which something may be done. */
export interface Target {
  subject: Subject;
  noun: string;
  id: string;
  name: string;
  item: Acted;
}

export interface Act {
  action: Action;
  target: Target;
}

/** Of these the palette knows the names. */
const SUBJECTS: Subject[] = ["queue", "job", "schedule", "worker", "breaker"];
const LABELS = new Set(
  SUBJECTS.flatMap((subject) => ACTIONS[subject].map(({ label }) => label.toLowerCase())),
);
const SHORTEST = 3;
const MOST = 8;

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether the first word is a verb, or how one begins. */
export function isAct(wanted: string): boolean {
  const [verb = ""] = wordsOf(wanted);
  return verb.length >= SHORTEST && [...LABELS].some((label) => label.startsWith(verb));
}

/** What the caller may do now, where the words name the verb and parts of the noun and the name. */
export function actsFor(wanted: string, targets: Target[], onAct: (act: Act) => void): Entry[] {
  if (!isAct(wanted)) return [];
  const [verb = "", ...rest] = wordsOf(wanted);
  const isMeant = ({ noun, name }: Target) =>
    rest.every((word) => noun.startsWith(word) || name.toLowerCase().includes(word));
  return targets
    .filter(isMeant)
    .flatMap((target) =>
      offered(target.subject, target.item)
        .filter(({ label }) => label.toLowerCase().startsWith(verb))
        .map((action) => ({ action, target })),
    )
    .slice(0, MOST)
    .map((act) => ({
      key: `act-${act.action.verb}-${act.target.noun}-${act.target.id}`,
      group: "Actions",
      icon: Zap,
      title: `${act.action.label} ${act.target.noun} ${act.target.name}`,
      go: () => onAct(act),
    }));
}
