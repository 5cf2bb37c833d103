/** A rule as it is sent: what people have written, read from a form or from what the API told. */
import type { Body } from "@/api/client";
import type { AlertRule } from "@/api/types";
import { namesOf } from "@/lib/words";

export type RuleBody = Body<"putAlertRule">;

/** What people have written of a rule, without what the server adds. */
export function bodyOf(rule: AlertRule): RuleBody {
  const { name, open, missing, verbs, ...written } = rule;
  return written as RuleBody;
}

/** The rule that the fields of a form say. */
export function ruleOf(fields: FormData): RuleBody {
  const text = (name: string) => String(fields.get(name) ?? "").trim();
  const all = (name: string) => fields.getAll(name).map(String);
  const quiet = fields.has("isQuiet");
  return {
    on: all("on") as RuleBody["on"],
    to: [...all("to"), ...namesOf(text("otherTo"))],
    jobs: namesOf(text("jobs")),
    queues: namesOf(text("queues")),
    severity: text("severity") as RuleBody["severity"],
    group: text("group") as RuleBody["group"],
    after: Number(text("after")),
    window: text("window"),
    repeat: text("repeat") || null,
    recovery: fields.has("recovery"),
    quiet: quiet ? { begin: text("begin"), end: text("end"), zone: text("zone") } : null,
    atMost: Number(text("atMost")),
    enabled: fields.has("enabled"),
    note: text("note"),
  } as RuleBody;
}
