import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { parameters } from "@/api/queries";
import type { Run } from "@/api/types";
import type { Schema, Values } from "@/lib/schema";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { SchemaForm } from "@/ui/SchemaForm";
import { toast } from "@/ui/Toasts";

type Scope = "all" | "failed";

/** The same again, with other arguments if wanted; a graph also from where it failed. */
export function Rerun({ run, isGraph }: { run: Run; isGraph: boolean }) {
  const [open, setOpen] = useState(false);
  if (!may(run, "rerun")) return null;
  return (
    <>
      <Button
        tone={run.state === "failed" ? "primary" : "plain"}
        icon={<RotateCcw className="size-3.5" />}
        onClick={() => setOpen(true)}
      >
        Rerun
      </Button>
      {open && <RerunDialog run={run} isGraph={isGraph} onClose={() => setOpen(false)} />}
    </>
  );
}

interface Props {
  run: Run;
  isGraph: boolean;
  onClose: () => void;
}

function RerunDialog({ run, isGraph, onClose }: Props) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const schema = useQuery({ ...parameters(run.jobId), retry: false });
  const [scope, setScope] = useState<Scope>(isGraph && run.state === "failed" ? "failed" : "all");
  const [values, setValues] = useState<Values>(() => (run.args ?? {}) as Values);
  const [problem, setProblem] = useState<string | null>(null);
  const [touched, setTouched] = useState(false);
  // Arguments that nobody sees hold nobody up; shown again they are those that could be read.
  const choose = (next: Scope) => {
    setScope(next);
    setProblem(null);
  };
  const send = async () => {
    const body = scope === "failed" ? { fromFailed: true } : touched ? { args: values } : {};
    const made = await ask("rerunRun", { path: [run.executionId], body });
    const id = made.executionId;
    if (id !== run.executionId) {
      toast.done("Submitted again; this is the new run.");
      await navigate({ to: "/runs/$id", params: { id } });
    } else {
      toast.done("The run goes on from where it failed.");
    }
    void cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      wide
      title={`Rerun ${run.jobId}`}
      submit="Rerun"
      disabled={problem !== null}
      onClose={onClose}
      onSubmit={send}
    >
      {isGraph && (
        <fieldset className="flex flex-wrap gap-4">
          <legend className="mb-1 font-medium">What</legend>
          {(
            [
              ["failed", "What failed, and what follows"],
              ["all", "Everything"],
            ] as const
          ).map(([key, title]) => (
            <label key={key} className="flex items-center gap-2">
              <input
                type="radio"
                name="scope"
                checked={scope === key}
                onChange={() => choose(key)}
              />
              {title}
            </label>
          ))}
        </fieldset>
      )}
      {scope === "all" && !schema.isPending && (
        <SchemaForm
          schema={schema.data as Schema | undefined}
          values={values}
          onChange={(next, wrong) => {
            setTouched(true);
            setValues(next);
            setProblem(wrong);
          }}
        />
      )}
      <p className="text-ink-2">
        {touched && scope === "all"
          ? "The new run gets these arguments."
          : "Arguments stay as they were."}
      </p>
    </FormDialog>
  );
}
