import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, ask, etagOf } from "@/api/client";
import type { Template } from "@/api/types";
import { pretty, readJson } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Field, FormDialog } from "@/ui/Dialog";
import { Choice, Text } from "@/ui/Fields";
import { JsonEditor } from "@/ui/Json";
import { toast } from "@/ui/Toasts";
import { Blanks } from "./Blanks";
import { type Blank, blank, blanksOf, bodyOf, EXAMPLE } from "./blanks";
import type { Kind } from "./definition";
import { CommandFields, HttpFields, KINDS, PolicyFields } from "./JobFields";
import {
  type Definition,
  definitionOf,
  fieldsOf,
  fitsForm,
  kindOf,
  othersOf,
  type Problem,
  problemOf,
} from "./templateDefinition";

interface Props {
  template?: Template | undefined;
  onClose: () => void;
}

/** A job with blanks, as a form or as JSON; what the server finds wrong stands beside its field. */
export function TemplateForm({ template, onClose }: Props) {
  const cache = useQueryClient();
  const [definition, setDefinition] = useState<Definition>(
    template?.definition ?? EXAMPLE.definition,
  );
  const [kind, setKind] = useState<Kind>(kindOf(definition));
  /** None while the form is shown. */
  const [text, setText] = useState(() => (fitsForm(definition) ? null : pretty(definition)));
  const [blanks, setBlanks] = useState<Blank[]>(() =>
    template ? blanksOf(template.parameters) : EXAMPLE.blanks,
  );
  const [problem, setProblem] = useState<Problem | null>(null);
  const parts = useRef<HTMLDivElement>(null);
  const read = text === null ? null : readDefinition(text);
  const said = (fields: FormData) => read?.value ?? definitionOf(fields, kind, definition);
  const toJson = () => {
    const form = parts.current?.closest("form");
    if (form) setText(pretty(said(new FormData(form))));
  };
  const toForm = (next: Definition) => {
    setDefinition(next);
    setKind(kindOf(next));
    setText(null);
  };
  const send = async (fields: FormData) => {
    const name = template?.name ?? String(fields.get("template")).trim();
    const description = String(fields.get("description")).trim();
    const told = said(fields);
    setProblem(null);
    try {
      await ask("replaceTemplate", {
        path: [name],
        body: bodyOf(told, blanks, description),
        ifMatch: etagOf(template),
        isNew: !template,
      });
    } catch (error) {
      if (error instanceof ApiError) setProblem(problemOf(error.problem));
      throw error;
    }
    toast.done(`${name} is saved. Jobs that were made from it stay as they are.`);
    await cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      wide
      title={template ? `Edit ${template.name}` : "New template"}
      submit="Save"
      disabled={read !== null && read.error !== null}
      onClose={onClose}
      onSubmit={send}
    >
      {!template && <Text name="template" label="Name" required maxLength={200} />}
      <Text name="description" label="Description" initial={template?.description} />
      <div ref={parts} className="space-y-4">
        {text === null ? (
          <Fields definition={definition} kind={kind} onKind={setKind} problem={problem} />
        ) : (
          <Field
            label="Definition"
            hint="A job as the API takes it, with ${name} where something differs."
            problem={problem && !problem.blank ? problem.says : undefined}
          >
            {(id) => (
              <JsonEditor id={id} name="definition" rows={12} text={text} onText={setText} />
            )}
          </Field>
        )}
        {read === null ? (
          <Button tone="quiet" onClick={toJson}>
            Edit as JSON
          </Button>
        ) : (
          <Button
            tone="quiet"
            disabled={read.value === null || !fitsForm(read.value)}
            onClick={() => read.value && toForm(read.value)}
          >
            Edit as a form
          </Button>
        )}
        {read?.value && !fitsForm(read.value) && (
          <p className="text-xs text-ink-2">
            The form cannot show this definition: it takes a command or an HTTP request.
          </p>
        )}
      </div>
      <Blanks blanks={blanks} onBlanks={setBlanks} problem={problem} />
    </FormDialog>
  );
}

function readDefinition(text: string): { value: Definition | null; error: string | null } {
  const { value, error } = readJson(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (error !== null || !isObject) return { value: null, error: error ?? "Write an object: {…}." };
  return { value: value as Definition, error: null };
}

interface FieldsProps {
  definition: Definition;
  kind: Kind;
  onKind: (kind: Kind) => void;
  problem: Problem | null;
}

function Fields({ definition, kind, onKind, problem }: FieldsProps) {
  const old = fieldsOf(definition);
  const problems = problem?.field ? { [problem.field]: problem.says } : {};
  const others = Object.keys(othersOf(definition));
  return (
    <>
      <p className="text-xs text-ink-2">
        In any field <code>{blank("region")}</code> stands for the blank named region, and{" "}
        <code>$$</code> for a dollar sign.
      </p>
      <Text
        name="name"
        label="Name of the job"
        problem={problems.name}
        initial={old.name}
        required
        mono
        hint="With a blank in it, each job that is made has a name of its own."
      />
      <Choice
        legend="What it does"
        options={KINDS}
        value={kind}
        onChange={(each) => onKind(each as Kind)}
      />
      {kind === "command" ? (
        <CommandFields old={old} hasBlanks problems={problems} />
      ) : (
        <HttpFields old={old} hasBlanks problems={problems} />
      )}
      <PolicyFields old={old} hasBlanks problems={problems} />
      {!others.includes("schedule") && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Text
            name="schedule"
            label="Schedule"
            problem={problems.schedule}
            initial={old.schedule}
            mono
            placeholder="none"
            hint="A cron line such as 0 6 * * mon-fri, or @daily."
          />
          <Text
            name="timezone"
            label="Time zone"
            problem={problems.timezone}
            initial={old.timezone}
            placeholder="UTC"
          />
        </div>
      )}
      {others.length > 0 && (
        <p className="text-xs text-ink-2">{`Kept as it is, to be seen as JSON: ${others.join(", ")}.`}</p>
      )}
    </>
  );
}
