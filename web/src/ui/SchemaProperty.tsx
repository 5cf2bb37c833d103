/** One parameter of a job as the field that its type needs; what has none is written as JSON. */
import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { pretty, readJson } from "@/lib/format";
import { isNumber, numberOf, wholeOf, writeJson } from "@/lib/json";
import {
  blankOf,
  coreOf,
  hintOf,
  isWhole,
  type Kind,
  kindOf,
  type Schema,
  type Values,
} from "@/lib/schema";
import { Button, IconButton } from "./Button";
import { Field } from "./Dialog";
import { JsonEditor } from "./Json";
import { Day, Instant, Length, TimeOfDay } from "./SchemaTimes";
import { useFields } from "./useFields";

interface Props {
  name: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  onValue: (value: unknown, problem: string | null) => void;
}

export function Property(props: Props) {
  const { name, schema, isRequired } = props;
  const kind = kindOf(schema);
  if (kind === "object" || kind === "list" || kind === "map") return <Nested {...props} />;
  const Input = INPUTS[kind];
  return (
    <Field label={name} hint={hintOf(schema)} required={isRequired}>
      {(id) => <Input {...props} schema={coreOf(schema)} id={id} />}
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

function Line({ id, isRequired, value, onValue }: InputProps) {
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
  return <input {...shared} className="field w-full" />;
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

const INPUTS: Record<Exclude<Kind, "object" | "list" | "map">, typeof OneOf> = {
  enum: OneOf,
  boolean: OneOf,
  number: Figure,
  string: Line,
  date: Day,
  time: TimeOfDay,
  "date-time": Instant,
  duration: Length,
  json: Json,
};

/** Fields within fields. One that may be left out is added by hand, and taken away again. */
function Nested(props: Props) {
  const { name, schema, isRequired, value, onValue } = props;
  const hint = useId();
  const core = coreOf(schema);
  const isGiven = value !== undefined && value !== null;
  const Parts = kindOf(core) === "object" ? Fields : kindOf(core) === "list" ? Items : Entries;
  return (
    <fieldset aria-describedby={hint} className="space-y-3 rounded-md border border-line p-3">
      <legend className="flex items-center gap-2 px-1 font-medium">
        {name}
        {isRequired && (
          <span aria-hidden className="text-2xs font-normal text-ink-2">
            required
          </span>
        )}
      </legend>
      <p id={hint} className="text-xs text-ink-2 empty:hidden">
        {hintOf(schema)}
      </p>
      {isGiven && <Parts {...props} schema={core} />}
      {!(isRequired && isGiven) && (
        <Button tone="quiet" onClick={() => onValue(isGiven ? undefined : blankOf(core), null)}>
          {isGiven ? `Leave out ${name}` : `Give ${name}`}
        </Button>
      )}
    </fieldset>
  );
}

function Fields({ schema, value, onValue }: Props) {
  const values = value as Values;
  const { change } = useFields(values, onValue);
  return Object.entries(schema.properties ?? {}).map(([name, each]) => (
    <Property
      key={name}
      name={name}
      schema={each}
      isRequired={schema.required?.includes(name) ?? false}
      value={values[name]}
      onValue={(next, problem) => change(name, next, problem)}
    />
  ));
}

/** Each keeps its own state when one before it is taken away. */
let made = 0;

function Items({ name, schema, value, onValue }: Props) {
  const items = Array.isArray(value) ? value : [];
  const of = schema.items as Schema;
  const [keys, setKeys] = useState(() => items.map(() => made++));
  const [problems, setProblems] = useState<Record<number, string>>({});
  const tell = (next: unknown[], wrong: Record<number, string>) => {
    setProblems(wrong);
    onValue(next, Object.values(wrong)[0] ?? null);
  };
  const without = (key: number) => {
    const { [key]: _, ...others } = problems;
    return others;
  };
  return (
    <>
      {items.map((item, at) => {
        const key = keys[at] ?? at;
        return (
          <div key={key} className="flex items-start gap-1">
            <div className="min-w-0 flex-1">
              <Property
                name={`${name} ${at + 1}`}
                schema={of}
                isRequired
                value={item ?? undefined}
                onValue={(next, problem) =>
                  tell(
                    items.with(at, next ?? blankOf(of)),
                    problem ? { ...problems, [key]: problem } : without(key),
                  )
                }
              />
            </div>
            <IconButton
              label={`Remove ${name} ${at + 1}`}
              onClick={() => {
                setKeys(keys.toSpliced(at, 1));
                tell(items.toSpliced(at, 1), without(key));
              }}
            >
              <X className="size-4" />
            </IconButton>
          </div>
        );
      })}
      <Button
        icon={<Plus className="size-3.5" />}
        onClick={() => {
          setKeys([...keys, made++]);
          tell([...items, blankOf(of)], problems);
        }}
      >
        {`Add to ${name}`}
      </Button>
    </>
  );
}

/** Names of one's own, each with a value. */
function Entries({ name, schema, value, onValue }: Props) {
  const values = value as Values;
  const of = schema.additionalProperties as Schema;
  const { change } = useFields(values, onValue);
  const [added, setAdded] = useState("");
  const add = () => {
    if (added.trim() && !(added in values)) change(added.trim(), blankOf(of), null);
    setAdded("");
  };
  return (
    <>
      {Object.entries(values).map(([key, each]) => (
        <div key={key} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <Property
              name={key}
              schema={of}
              isRequired
              value={each ?? undefined}
              onValue={(next, problem) => change(key, next ?? blankOf(of), problem)}
            />
          </div>
          <IconButton label={`Remove ${key}`} onClick={() => change(key, undefined, null)}>
            <X className="size-4" />
          </IconButton>
        </div>
      ))}
      <div className="flex gap-2">
        <input
          aria-label={`A name to add to ${name}`}
          placeholder="Name"
          value={added}
          onChange={({ target }) => setAdded(target.value)}
          className="field min-w-0 flex-1"
        />
        <Button icon={<Plus className="size-3.5" />} onClick={add}>
          {`Add to ${name}`}
        </Button>
      </div>
    </>
  );
}
