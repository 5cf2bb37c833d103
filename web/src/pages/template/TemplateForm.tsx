import { useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { ask, etagOf } from "@/api/client";
import type { Template } from "@/api/types";
import { pretty, readJson } from "@/lib/format";
import { Button, IconButton } from "@/ui/Button";
import { Field, FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { JsonEditor } from "@/ui/Json";
import { toast } from "@/ui/Toasts";
import { type Blank, blanksOf, bodyOf, EXAMPLE, TYPES } from "./blanks";

interface Props {
  template?: Template | undefined;
  onClose: () => void;
}

export function TemplateForm({ template, onClose }: Props) {
  const cache = useQueryClient();
  const [text, setText] = useState(() => pretty(template?.definition ?? EXAMPLE.definition));
  const [blanks, setBlanks] = useState<Blank[]>(() =>
    template ? blanksOf(template.parameters) : EXAMPLE.blanks,
  );
  const definition = readJson(text);
  const send = async (fields: FormData) => {
    const name = template?.name ?? String(fields.get("name")).trim();
    const description = String(fields.get("description")).trim();
    const body = bodyOf(definition.value as Record<string, unknown>, blanks, description);
    await ask("replaceTemplate", {
      path: [name],
      body,
      ifMatch: etagOf(template),
      isNew: !template,
    });
    toast.done(`${name} is saved. Jobs that were made from it stay as they are.`);
    await cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      wide
      title={template ? `Edit ${template.name}` : "New template"}
      submit="Save"
      disabled={definition.error !== null}
      onClose={onClose}
      onSubmit={send}
    >
      {!template && <Text name="name" label="Name" required maxLength={200} />}
      <Text name="description" label="Description" initial={template?.description} />
      <Field
        label="Definition"
        hint="A job as the API takes it, with ${name} where something differs."
      >
        {(id) => <JsonEditor id={id} name="definition" rows={8} text={text} onText={setText} />}
      </Field>
      <Blanks blanks={blanks} onBlanks={setBlanks} />
    </FormDialog>
  );
}

function Blanks({ blanks, onBlanks }: { blanks: Blank[]; onBlanks: (blanks: Blank[]) => void }) {
  const change = (at: number, patch: Partial<Blank>) =>
    onBlanks(blanks.map((each, index) => (index === at ? { ...each, ...patch } : each)));
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1 font-medium">Blanks</legend>
      <p className="text-xs text-ink-2">
        What differs from job to job: each is asked for when a job is made from the template.
      </p>
      {blanks.map((blank, at) => (
        <div
          key={at}
          className="grid grid-cols-2 items-end gap-2 max-sm:border-b max-sm:border-line max-sm:pb-3 sm:grid-cols-[1fr_7rem_1fr_1.4fr_2rem]"
        >
          <Cell label="Name" value={blank.name} onText={(name) => change(at, { name })} required />
          <label className="grid min-w-0 gap-0.5">
            <span className={CAPTION}>Type</span>
            <select
              className="field min-w-0"
              value={blank.type}
              onChange={(event) => change(at, { type: event.target.value as Blank["type"] })}
            >
              {TYPES.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          </label>
          <Cell
            label="Default"
            example="none"
            value={blank.initial}
            onText={(initial) => change(at, { initial })}
          />
          <Cell
            label="Choices"
            example="north, south"
            value={blank.choices}
            onText={(choices) => change(at, { choices })}
          />
          <IconButton
            label={`Remove ${blank.name}`}
            className="max-sm:col-start-2 max-sm:justify-self-end"
            onClick={() => onBlanks(blanks.filter((_, index) => index !== at))}
          >
            <X className="size-4" />
          </IconButton>
        </div>
      ))}
      <Button
        tone="quiet"
        icon={<Plus className="size-3.5" />}
        onClick={() =>
          onBlanks([
            ...blanks,
            { name: "", type: "string", initial: "", choices: "", description: "" },
          ])
        }
      >
        Add a blank
      </Button>
    </fieldset>
  );
}

const CAPTION = "text-2xs text-ink-2";

interface CellProps {
  label: string;
  example?: string;
  value: string;
  onText: (text: string) => void;
  required?: boolean;
}

function Cell({ label, example, value, onText, required }: CellProps) {
  return (
    <label className="grid min-w-0 gap-0.5">
      <span className={CAPTION}>{label}</span>
      <input
        placeholder={example}
        required={required}
        value={value}
        onChange={(event) => onText(event.target.value)}
        className="field min-w-0"
      />
    </label>
  );
}
