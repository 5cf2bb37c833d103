/** A form made from the JSON Schema of a job's parameters; what it cannot show is edited as JSON. */
import { useState } from "react";
import { pretty, readJson } from "@/lib/format";
import { isNumber, numberOf, wholeOf, writeJson } from "@/lib/json";
import { Button } from "./Button";
import { Field } from "./Dialog";
import { JsonEditor } from "./Json";

export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  format?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  $ref?: string;
}

export type Values = Record<string, unknown>;

interface Props {
  schema: Schema | undefined;
  values: Values;
  onChange: (values: Values, problem: string | null) => void;
}

export function SchemaForm({ schema, values, onChange }: Props) {
  const fields = Object.entries(schema?.properties ?? {});
  const [asJson, setAsJson] = useState(fields.length === 0);
  const [text, setText] = useState(() => pretty(values));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const change = (name: string, value: unknown, problem: string | null) => {
    const { [name]: _, ...others } = problems;
    const all = problem ? { ...others, [name]: problem } : others;
    setProblems(all);
    onChange(withValue(values, name, value), Object.values(all)[0] ?? null);
  };
  const edit = (next: string) => {
    setText(next);
    const read = readJson(next);
    const isObject =
      read.value !== null && typeof read.value === "object" && !Array.isArray(read.value);
    onChange(
      isObject ? (read.value as Values) : {},
      read.error ?? (isObject || next.trim() === "" ? null : "Write an object: {…}."),
    );
  };
  const flip = () => {
    setText(pretty(values));
    setProblems({});
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

/** What the handler takes where nothing is given: shown, so that it can be seen and changed. */
export function defaultsOf(schema: Schema | undefined): Values {
  const known = Object.entries(schema?.properties ?? {});
  return Object.fromEntries(
    known
      .filter(([, each]) => each.default !== undefined)
      .map(([name, each]) => [name, each.default]),
  );
}

/** An empty field is an argument not given, so that the handler's own default counts. */
export function withValue(values: Values, name: string, value: unknown): Values {
  const next = { ...values };
  if (value === undefined) delete next[name];
  else next[name] = value;
  return next;
}

interface PropertyProps {
  name: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  onValue: (value: unknown, problem: string | null) => void;
}

function Property({ name, schema, isRequired, value, onValue }: PropertyProps) {
  const kind = kindOf(schema);
  const [text, setText] = useState(() =>
    kind === "json" && value !== undefined ? pretty(value) : "",
  );
  const hint = hintOf(schema);
  const shared = { className: "field w-full", required: isRequired };
  return (
    <Field label={name} hint={hint} required={isRequired}>
      {(id) => {
        if (kind === "enum" || kind === "boolean") {
          const options = kind === "enum" ? (schema.enum ?? []) : [true, false];
          const index = options.map((each) => writeJson(each)).indexOf(writeJson(value));
          return (
            <select
              id={id}
              {...shared}
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
        if (kind === "number") {
          return (
            <input
              id={id}
              {...shared}
              type="number"
              step={isWhole(schema) ? 1 : "any"}
              min={schema.minimum}
              max={schema.maximum}
              value={isNumber(value) ? String(value) : ""}
              onChange={({ target }) =>
                onValue((isWhole(schema) ? wholeOf : numberOf)(target.value), null)
              }
            />
          );
        }
        if (kind === "string") {
          const line = value == null ? "" : String(value);
          const filled = {
            ...shared,
            id,
            value: line,
            onChange: ({ target }: { target: { value: string } }) =>
              onValue(target.value || undefined, null),
          };
          // A field of one line would drop the breaks.
          if (line.includes("\n")) return <textarea {...filled} rows={3} className={AREA} />;
          return <input {...filled} placeholder={EXAMPLES[formatOf(schema) ?? ""]} />;
        }
        const edit = (next: string) => {
          setText(next);
          const read = readJson(next);
          onValue(
            read.error || next.trim() === "" ? undefined : read.value,
            read.error && `${name}: ${read.error}`,
          );
        };
        return (
          <JsonEditor
            id={id}
            name={name}
            rows={3}
            text={text}
            onText={edit}
            required={isRequired}
          />
        );
      }}
    </Field>
  );
}

const AREA = "field h-auto w-full py-1.5";

/** Types of Python in words; those of your own, and sentences, as they are. */
const TYPES: Record<string, string> = {
  int: "A whole number",
  float: "A number",
  bool: "True or false",
  str: "Text",
  "list[str]": "A list of texts, as JSON",
  "list[int]": "A list of whole numbers, as JSON",
  list: "A list, as JSON",
  dict: "An object, as JSON",
  "str | int | float | bool": "Text or a number",
};

/** What belongs into a field, and what counts if nothing is given. */
export function hintOf({ description = "", default: usual }: Schema): string {
  const about = TYPES[description.replace(" | None", "")] ?? description;
  const isTold = usual !== undefined && usual !== null && usual !== "";
  return [about, isTold && `${writeJson(usual)} if left empty`].filter(Boolean).join("; ");
}

const EXAMPLES: Record<string, string> = {
  date: "2026-12-31",
  time: "06:30:00",
  "date-time": "2026-12-31T06:30:00Z",
  duration: "PT1H30M",
};

function formatOf(schema: Schema): string | undefined {
  return schema.format ?? schema.anyOf?.find((each) => each.format)?.format;
}

type Kind = "enum" | "boolean" | "number" | "string" | "json";

export function kindOf(schema: Schema): Kind {
  if (schema.enum) return "enum";
  const options = schema.anyOf?.filter((each) => each.type !== "null");
  const only = options?.length === 1 ? options[0] : undefined;
  if (only) return kindOf(only);
  if (isWordOrFigure(options)) return "string";
  const types = [schema.type].flat().filter((type) => type !== "null");
  if (types.length !== 1) return "json";
  if (types[0] === "boolean" || types[0] === "string") return types[0];
  return types[0] === "integer" || types[0] === "number" ? "number" : "json";
}

function isWhole(schema: Schema): boolean {
  return schema.type === "integer" || (schema.anyOf?.some(isWhole) ?? false);
}

/** A blank of a command or an address takes any of these; people write what is to stand there. */
function isWordOrFigure(options: Schema[] | undefined): boolean {
  const kinds = options?.map(kindOf) ?? [];
  return kinds.includes("string") && !kinds.includes("json") && !kinds.includes("enum");
}
