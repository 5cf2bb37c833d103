/** One parameter of a job as the field that its type needs; what has none is written as JSON. */
import { useState } from "react";
import { pretty, readJson } from "@/lib/format";
import { isNumber, numberOf, wholeOf, writeJson } from "@/lib/json";
import { exampleOf, hintOf, isWhole, kindOf, type Schema } from "@/lib/schema";
import { Field } from "./Dialog";
import { JsonEditor } from "./Json";

interface Props {
  name: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  onValue: (value: unknown, problem: string | null) => void;
}

export function Property(props: Props) {
  const { name, schema, isRequired } = props;
  const Input = INPUTS[kindOf(schema)];
  return (
    <Field label={name} hint={hintOf(schema)} required={isRequired}>
      {(id) => <Input {...props} id={id} />}
    </Field>
  );
}

type InputProps = Props & { id: string };

function OneOf({ id, schema, isRequired, value, onValue }: InputProps) {
  const options = schema.enum ?? [true, false];
  const index = options.map((each) => writeJson(each)).indexOf(writeJson(value));
  return (
    <select
      id={id}
      required={isRequired}
      className="field w-full"
      value={index < 0 ? "" : index}
      onChange={({ target }) =>
        onValue(target.value === "" ? undefined : options[Number(target.value)], null)
      }
    >
      <option value="">–</option>
      {options.map((option, at) => (
        <option key={at} value={at}>
          {String(option)}
        </option>
      ))}
    </select>
  );
}

/** As it was typed: "0.0" and "0" are one number, but only from the first one gets to 0.05. */
function Figure({ id, schema, isRequired, value, onValue }: InputProps) {
  const [typed, setTyped] = useState("");
  const read = isWhole(schema) ? wholeOf : numberOf;
  const told = isNumber(value) ? String(value) : "";
  return (
    <input
      id={id}
      required={isRequired}
      className="field w-full"
      type="number"
      step={isWhole(schema) ? 1 : "any"}
      min={schema.minimum}
      max={schema.maximum}
      value={writeJson(read(typed)) === writeJson(value) ? typed : told}
      onChange={({ target }) => {
        setTyped(target.value);
        onValue(read(target.value), null);
      }}
    />
  );
}

function Line({ id, schema, isRequired, value, onValue }: InputProps) {
  const line = value == null ? "" : String(value);
  const shared = {
    id,
    required: isRequired,
    value: line,
    onChange: ({ target }: { target: { value: string } }) =>
      onValue(target.value || undefined, null),
  };
  // A field of one line would drop the breaks.
  if (line.includes("\n"))
    return <textarea {...shared} rows={3} className="field h-auto w-full py-1.5" />;
  return <input {...shared} placeholder={exampleOf(schema)} className="field w-full" />;
}

function Json({ id, name, isRequired, value, onValue }: InputProps) {
  const [text, setText] = useState(() => (value === undefined ? "" : pretty(value)));
  const edit = (next: string) => {
    setText(next);
    const read = readJson(next);
    if (read.error) onValue(value, `${name}: ${read.error}`);
    else onValue(next.trim() === "" ? undefined : read.value, null);
  };
  return (
    <JsonEditor id={id} name={name} rows={3} text={text} onText={edit} required={isRequired} />
  );
}

const INPUTS = { enum: OneOf, boolean: OneOf, number: Figure, string: Line, json: Json };
