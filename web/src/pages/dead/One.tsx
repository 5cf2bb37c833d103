import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { deadLetter, run } from "@/api/queries";
import type { DeadLetter } from "@/api/types";
import { errorText, pretty, readJson, shortId } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Dialog, Field, FormDialog } from "@/ui/Dialog";
import { JsonEditor, JsonView } from "@/ui/Json";
import { Load } from "@/ui/Panels";
import { Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";

export function One({ id, onClose }: { id: string; onClose: () => void }) {
  const letter = useQuery(deadLetter(id));
  const dead = useQuery(run(id));
  return (
    <Dialog open wide title="Dead letter" onClose={onClose}>
      <Load query={letter}>
        {(each) => (
          <Load query={dead}>
            {({ args }) => <Letter letter={each} args={args ?? {}} onClose={onClose} />}
          </Load>
        )}
      </Load>
    </Dialog>
  );
}

interface LetterProps {
  letter: DeadLetter;
  args: unknown;
  onClose: () => void;
}

function Letter({ letter, args, onClose }: LetterProps) {
  const cache = useQueryClient();
  const [text, setText] = useState(() => pretty(args));
  const [isOpen, setOpen] = useState(false);
  const redrive = async () => {
    const isChanged = text !== pretty(args);
    const body = isChanged ? { args: readJson(text).value as Record<string, unknown> } : {};
    await ask("redriveOne", { path: [letter.executionId], body });
    toast.done("It runs again.");
    await cache.invalidateQueries();
    onClose();
  };
  return (
    <div className="space-y-4">
      <p>
        <b>{letter.job}</b>, run{" "}
        <Link to="/runs/$id" params={{ id: letter.executionId }} className="link">
          {shortId(letter.executionId)}
        </Link>
        , died <Time at={letter.diedAt} />
      </p>
      <p className="rounded-md bg-bad-soft p-3 font-mono text-xs break-words">
        {errorText(letter)}
      </p>
      {may(letter, "redrive") ? (
        <Field label="Arguments" hint="Change them if they were the cause.">
          {(field) => <JsonEditor id={field} name="args" text={text} onText={setText} />}
        </Field>
      ) : (
        <JsonView value={args} label="Arguments" />
      )}
      <div className="flex justify-end gap-2">
        <Actions
          subject="dead"
          item={letter}
          id={letter.executionId}
          name={`${letter.job} ${shortId(letter.executionId)}`}
        />
        {may(letter, "redrive") && (
          <Button
            tone="primary"
            disabled={readJson(text).error !== null}
            onClick={() => setOpen(true)}
          >
            Redrive
          </Button>
        )}
      </div>
      <FormDialog
        open={isOpen}
        title="Redrive this one?"
        submit="Redrive"
        onClose={() => setOpen(false)}
        onSubmit={redrive}
      >
        <p>It runs again with the arguments above and a clean count of attempts.</p>
      </FormDialog>
    </div>
  );
}
