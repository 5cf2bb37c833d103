import { useQueryClient } from "@tanstack/react-query";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { type Answer, ask, type Body } from "@/api/client";
import type { DeadGroup } from "@/api/types";
import { count, plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Field, FormDialog } from "@/ui/Dialog";
import { toast } from "@/ui/Toasts";

/** The server takes so many at once and says where to go on; answers how many there were. */
async function redriveAll(body: Body<"redriveLetters">): Promise<number> {
  let done = 0;
  let cursor: string | null = null;
  do {
    const answer: Answer<"redriveLetters"> = await ask("redriveLetters", {
      body: { ...body, cursor },
    });
    done += answer.items.filter(({ isNew }) => isNew).length;
    cursor = answer.next;
  } while (cursor);
  return done;
}

async function discardAll(body: Body<"discardLetters">): Promise<number> {
  let done = 0;
  for (;;) {
    const { discarded, left } = await ask("discardLetters", { body });
    done += discarded;
    if (!left || !discarded) return done;
  }
}

export function doneOf(verb: "redrive" | "discard", many: number): string {
  const some = plural(many, "dead letter");
  if (verb === "redrive") return `${some} ${many === 1 ? "runs" : "run"} again.`;
  return `${some} ${many === 1 ? "is" : "are"} discarded.`;
}

export function Many({ group, verb }: { group: DeadGroup; verb: "redrive" | "discard" }) {
  const cache = useQueryClient();
  const [open, setOpen] = useState(false);
  if (!may(group, verb)) return null;
  const isRedrive = verb === "redrive";
  const isOne = group.open === 1;
  const word = isRedrive ? "Redrive" : "Discard";
  const send = async (fields: FormData) => {
    const rate = Number(fields.get("rate"));
    const chosen = { group: group.group };
    const done = isRedrive
      ? await redriveAll(rate > 0 ? { ...chosen, rate: `${rate}/m` } : chosen)
      : await discardAll(chosen);
    toast.done(doneOf(verb, done));
    await cache.invalidateQueries();
  };
  return (
    <>
      <Button
        icon={isRedrive ? <RotateCcw className="size-3.5" /> : <Trash2 className="size-3.5" />}
        onClick={() => setOpen(true)}
      >
        {isOne ? word : `${word} all ${count(group.open)}`}
      </Button>
      <FormDialog
        open={open}
        danger={!isRedrive}
        title={`${word} ${plural(group.open, "dead letter")}?`}
        submit={isOne ? word : `${word} ${count(group.open)}`}
        onClose={() => setOpen(false)}
        onSubmit={send}
      >
        <p>
          {isRedrive
            ? `${isOne ? "It" : "Each"} becomes a run again, with its own arguments and all its attempts.`
            : `${isOne ? "It is" : "They are"} given up for good. The ${isOne ? "run stays" : "runs stay"} in the history.`}
        </p>
        {isRedrive && !isOne && (
          <Field
            label="Runs a minute, at most"
            hint="Leave it empty to start all at once; a limit spares what has just recovered."
          >
            {(id) => <input id={id} name="rate" type="number" min={1} className="field w-full" />}
          </Field>
        )}
      </FormDialog>
    </>
  );
}
