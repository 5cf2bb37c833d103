import { useQueryClient } from "@tanstack/react-query";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask, type Body } from "@/api/client";
import type { DeadGroup } from "@/api/types";
import { count, plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Field, FormDialog } from "@/ui/Dialog";
import { toast } from "@/ui/Toasts";

/** The server takes 500 at once and says how many are left. */
async function sendAll(name: "redriveMany" | "discardMany", body: Body<typeof name>) {
  let left = Number.POSITIVE_INFINITY;
  for (;;) {
    const answer = await ask(name, { body });
    if (!answer.left || answer.left >= left) return;
    left = answer.left;
  }
}

export function Many({ group, verb }: { group: DeadGroup; verb: "redrive" | "discard" }) {
  const cache = useQueryClient();
  const [open, setOpen] = useState(false);
  if (!may(group, verb)) return null;
  const isRedrive = verb === "redrive";
  const word = isRedrive ? "Redrive" : "Discard";
  const send = async (fields: FormData) => {
    const rate = Number(fields.get("rate"));
    await sendAll(`${verb}Many`, {
      group: group.group,
      ...(isRedrive && rate > 0 && { rate: `${rate}/m` }),
    });
    toast.done(`${plural(group.open, "dead letter")}: ${isRedrive ? "runs again" : "given up"}.`);
    await cache.invalidateQueries();
  };
  return (
    <>
      <Button
        icon={isRedrive ? <RotateCcw className="size-3.5" /> : <Trash2 className="size-3.5" />}
        onClick={() => setOpen(true)}
      >
        {`${word} all ${count(group.open)}`}
      </Button>
      <FormDialog
        open={open}
        danger={!isRedrive}
        title={`${word} ${plural(group.open, "dead letter")}?`}
        submit={`${word} ${count(group.open)}`}
        onClose={() => setOpen(false)}
        onSubmit={send}
      >
        <p>
          {isRedrive
            ? "Each becomes a run again, with its own arguments."
            : "They are given up for good. The runs stay in the history."}
        </p>
        {isRedrive && (
          <Field label="At most so many a minute" hint="Empty: all at once.">
            {(id) => <input id={id} name="rate" type="number" min={1} className="field w-full" />}
          </Field>
        )}
      </FormDialog>
    </>
  );
}
