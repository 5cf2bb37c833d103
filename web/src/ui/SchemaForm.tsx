/** A form made from the JSON Schema of a job's parameters; what it cannot show is edited as JSON. */
import { useState } from "react";
import { pretty, readJson } from "@/lib/format";
import type { Schema, Values } from "@/lib/schema";
import { Button } from "./Button";
import { Field } from "./Dialog";
import { JsonEditor } from "./Json";
import { Property } from "./SchemaProperty";
import { useFields } from "./useFields";

type ReadArguments = { value: Values; error: null } | { value: null; error: string };

/** Nothing written is no arguments. */
function readArguments(text: string): ReadArguments {
  const { value, error } = text.trim() === "" ? { value: {}, error: null } : readJson(text);
  if (error !== null) return { value: null, error };
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return { value: null, error: "Write an object: {…}." };
  return { value: value as Values, error: null };
}

interface Props {
  schema: Schema | undefined;
  values: Values;
  onChange: (values: Values, problem: string | null) => void;
}

export function SchemaForm({ schema, values, onChange }: Props) {
  const fields = Object.entries(schema?.properties ?? {});
  const [asJson, setAsJson] = useState(fields.length === 0);
  const [text, setText] = useState(() => pretty(values));
  const { change, forget } = useFields(values, onChange);
  const edit = (next: string) => {
    setText(next);
    const { value, error } = readArguments(next);
    // The last that could be read stay: the form shows them to who goes back to it.
    onChange(value ?? values, error);
  };
  const flip = () => {
    setText(pretty(values));
    forget();
    onChange(values, null);
    setAsJson(!asJson);
  };
  if (fields.length === 0 && schema?.additionalProperties === false) {
    return <p className="text-ink-2">It takes no arguments.</p>;
  }
  return (
    <div className="space-y-3">
      {asJson ? (
        <Field label="Arguments" hint="A JSON object; names are those of the handler's parameters.">
          {(id) => <JsonEditor id={id} name="arguments" text={text} onText={edit} />}
        </Field>
      ) : (
        fields.map(([name, each]) => (
          <Property
            key={name}
            name={name}
            schema={each}
            isRequired={schema?.required?.includes(name) ?? false}
            value={values[name]}
            onValue={(value, problem) => change(name, value, problem)}
          />
        ))
      )}
      {fields.length > 0 && (
        <Button tone="quiet" className="-ml-3" onClick={flip}>
          {asJson ? "Edit as a form" : "Edit as JSON"}
        </Button>
      )}
    </div>
  );
}
