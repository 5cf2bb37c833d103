import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { may } from "@/api/actions";
import { type Answer, ask } from "@/api/client";
import { deadLetter, run } from "@/api/queries";
import type { DeadLetter } from "@/api/types";
import { errorText, pretty, readJson, shortId } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Dialog, Field } from "@/ui/Dialog";
import { JsonEditor, JsonView } from "@/ui/Json";
import { Load } from "@/ui/Panels";
import { Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";
import { Doubts } from "../runs/Doubts";

export function One({ id, onClose }: { id: string; onClose: () => void }) {
  const letter = useQuery(deadLetter(id));
  const dead = useQuery(run(id));
  return (
    <Dialog open wide title="Dead letter" onClose={onClose}>
      <Load query={letter}>
        {(each) => (
          <Load query={dead}>{({ args }) => <Letter letter={each} args={args ?? {}} />}</Load>
        )}
      </Load>
    </Dialog>
  );
}

type Args = Record<string, unknown>;

/** Arguments only if they were changed: to say nothing means those that it had. */
export function changeOf(text: string, args: unknown): { args?: Args } {
  return text === pretty(args) ? {} : { args: readJson(text).value as Args };
}

/** Nobody could tell whether an emptied field means none, or those of before. */
export function problemOf(text: string): string | undefined {
  const { value, error } = readJson(text);
  if (error !== null) return undefined; // the editor says so
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? undefined : "Arguments are a JSON object; write {} for none.";
}

/** What became of it, for who wanted it to run again with other arguments or with those it had. */
export function tellRedriven(made: Answer<"redriveLetter">, isChanged: boolean): void {
  if (made.isNew) toast.done("It runs again; this is the new run.");
  else if (isChanged)
    toast.failed(new Error(`${before(made.rerunId)} Your arguments were not used.`));
  else toast.done(`${before(made.rerunId)} This is that run.`);
}

function before(rerunId: string): string {
  return `It was already redriven as ${shortId(rerunId)}.`;
}

interface LetterProps {
  letter: DeadLetter;
  args: unknown;
}

function Letter({ letter, args }: LetterProps) {
  const cache = useQueryClient();
  const [text, setText] = useState(() => pretty(args));
  const navigate = useNavigate();
  const [isSent, setSent] = useState(false);
  const problem = problemOf(text);
  const redrive = async () => {
    setSent(true);
    const body = changeOf(text, args);
    try {
      const made = await ask("redriveLetter", { path: [letter.executionId], body });
      tellRedriven(made, body.args !== undefined);
      await navigate({ to: "/runs/$id", params: { id: made.rerunId } });
      void cache.invalidateQueries();
    } catch (error) {
      setSent(false);
      toast.failed(error, () => void redrive());
    }
  };
  return (
    <div className="space-y-4">
      <p>
        <b>{letter.job}</b>, run{" "}
        <Link to="/runs/$id" params={{ id: letter.executionId }} className="link">
          {shortId(letter.executionId)}
        </Link>
        , died <Time at={letter.diedAt} />
        {letter.rerunId && (
          <>
            {"; it ran again as "}
            <Link to="/runs/$id" params={{ id: letter.rerunId }} className="link">
              {shortId(letter.rerunId)}
            </Link>
          </>
        )}
      </p>
      <p className="rounded-md bg-bad-soft p-3 font-mono text-xs break-words">
        {errorText(letter.errorType, letter.message)}
      </p>
      {may(letter, "redrive") && <Doubts id={letter.executionId} />}
      {may(letter, "redrive") ? (
        <Field
          label="Arguments"
          hint="Change them if they were the cause. It runs again with these and a clean count of attempts."
          problem={problem}
        >
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
            disabled={isSent || readJson(text).error !== null || problem !== undefined}
            onClick={() => void redrive()}
          >
            Redrive
          </Button>
        )}
      </div>
    </div>
  );
}
