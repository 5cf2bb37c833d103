/** Calls outside that nobody knows the end of: a person looks them up, and says what became of them. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { effects } from "@/api/queries";
import type { Effect } from "@/api/types";
import { readJson } from "@/lib/format";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/Copy";
import { Field, FormDialog } from "@/ui/Dialog";
import { JsonEditor } from "@/ui/Json";
import { Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";

const OPEN = ["in_doubt", "not_done"];

export function Doubts({ id }: { id: string }) {
  const { data } = useQuery(effects(id));
  const open = data?.items.filter((each) => OPEN.includes(each.state)) ?? [];
  if (!open.length) return null;
  return (
    <section
      aria-label="Calls in doubt"
      className="mb-4 rounded-lg border border-warn/30 bg-warn-soft px-4 py-3"
    >
      <h2 className="mb-1 flex items-center gap-2 font-semibold text-warn">
        <CircleAlert aria-hidden className="size-4" />
        Did it take place?
      </h2>
      <p className="text-xs text-ink-2">
        Look it up outside by its key. When it runs again it takes the result you give, or makes the
        call with the same key.
      </p>
      <ul className="mt-2 space-y-2">
        {open.map((each) => (
          <Doubt key={each.name} effect={each} />
        ))}
      </ul>
    </section>
  );
}

function Doubt({ effect }: { effect: Effect }) {
  const [asked, setAsked] = useState<"done" | "not done" | null>(null);
  const isDecided = effect.state === "not_done";
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <b>{effect.name}</b>
        {isDecided ? `: not made, said ${effect.decidedBy}` : ": begun "}
        {!isDecided && <Time at={effect.intendedAt} ago />}
        <span className="flex min-w-0 items-center font-mono text-xs text-ink-2">
          <span className="truncate">{effect.idempotencyKey}</span>
          <CopyButton text={effect.idempotencyKey} label="Copy the key" />
        </span>
      </div>
      {may(effect, "settle") && (
        <>
          <Button onClick={() => setAsked("done")}>It was made</Button>
          {!isDecided && <Button onClick={() => setAsked("not done")}>It was not made</Button>}
        </>
      )}
      {asked && <Settle effect={effect} isDone={asked === "done"} onClose={() => setAsked(null)} />}
    </li>
  );
}

interface SettleProps {
  effect: Effect;
  isDone: boolean;
  onClose: () => void;
}

function Settle({ effect, isDone, onClose }: SettleProps) {
  const cache = useQueryClient();
  const [text, setText] = useState("null");
  const send = async (fields: FormData) => {
    const reason = String(fields.get("reason") ?? "") || null;
    const body = isDone
      ? { done: true, result: readJson(text).value, reason }
      : { done: false, reason };
    await ask("settleEffect", { path: [effect.executionId, effect.name], body });
    toast.done(isDone ? `${effect.name} took place.` : `${effect.name} did not take place.`);
    void cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      title={isDone ? `${effect.name} was made` : `${effect.name} was not made`}
      submit={isDone ? "It was made" : "It was not made"}
      disabled={isDone && readJson(text).error !== null}
      onClose={onClose}
      onSubmit={send}
    >
      {isDone ? (
        <Field label="Result" hint="What the call gave, as JSON: its handler gets this.">
          {(field) => <JsonEditor id={field} name="result" text={text} onText={setText} />}
        </Field>
      ) : (
        <p>When it runs again it makes the call, with the same key.</p>
      )}
      <Field label="Why" hint="For the audit; may be left out.">
        {(field) => <input id={field} name="reason" className="field w-full" />}
      </Field>
    </FormDialog>
  );
}
