/** The JSON Schema of a job's parameters: which field each of them needs, and what to say beside it. */
import { writeJson } from "./json";

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
  items?: Schema | boolean;
  /** How a form shows what only the handler can check. */
  form?: Schema;
}

export type Values = Record<string, unknown>;

export type Kind =
  | "enum"
  | "boolean"
  | "number"
  | "string"
  | "date"
  | "time"
  | "date-time"
  | "duration"
  | "object"
  | "list"
  | "map"
  | "json";

const FORMATS: readonly string[] = ["date", "time", "date-time", "duration"];

/** The schema of what is written, where null may be given as well. */
export function coreOf(schema: Schema): Schema {
  const options = schema.anyOf?.filter((each) => each.type !== "null");
  const only = options?.length === 1 ? options[0] : undefined;
  if (only) return coreOf(only);
  return schema.form ? coreOf(schema.form) : schema;
}

export function kindOf(given: Schema): Kind {
  const schema = coreOf(given);
  if (schema.enum) return "enum";
  if (isWordOrFigure(schema.anyOf)) return "string";
  const types = [schema.type].flat().filter((type) => type !== "null");
  if (types.length !== 1) return "json";
  switch (types[0]) {
    case "boolean":
      return "boolean";
    case "integer":
    case "number":
      return "number";
    case "string":
      return FORMATS.includes(schema.format ?? "") ? (schema.format as Kind) : "string";
    case "array":
      return isSchema(schema.items) ? "list" : "json";
    default:
      return kindOfObject(schema);
  }
}

function kindOfObject({ type, properties, additionalProperties }: Schema): Kind {
  if (type !== "object") return "json";
  if (properties && Object.keys(properties).length > 0) return "object";
  return isSchema(additionalProperties) ? "map" : "json";
}

/** One that tells something. */
function isSchema(schema: unknown): schema is Schema {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length > 0;
}

/** What a new item of a list begins with: nothing, in the form of its kind. */
export function blankOf(schema: Schema): unknown {
  const core = coreOf(schema);
  switch (kindOf(core)) {
    case "object":
      return defaultsOf(core);
    case "map":
      return {};
    case "list":
      return [];
    case "string":
      return "";
    case "enum":
      return core.enum?.[0] ?? null;
    case "boolean":
      return false;
    default:
      return null;
  }
}

export function isWhole(schema: Schema): boolean {
  return coreOf(schema).type === "integer";
}

/** A blank of a command or an address takes any of these; people write what is to stand there. */
function isWordOrFigure(options: Schema[] | undefined): boolean {
  const kinds = options?.map(kindOf) ?? [];
  return kinds.includes("string") && kinds.every((kind) => PLAIN.includes(kind));
}

const PLAIN: Kind[] = ["string", "number", "boolean"];

const NESTED: Kind[] = ["object", "list", "map"];

/**
 * What the handler takes where nothing is given: shown, so that it can be seen and changed. What must
 * be given and has fields of its own is there from the start, as these are.
 */
export function defaultsOf(schema: Schema | undefined): Values {
  const known = Object.entries(schema?.properties ?? {}).map(([name, each]) => {
    const isNeeded = schema?.required?.includes(name) && NESTED.includes(kindOf(each));
    return [name, each.default ?? (isNeeded ? blankOf(each) : undefined)] as const;
  });
  return Object.fromEntries(known.filter(([, usual]) => usual !== undefined));
}

/** An empty field is an argument not given, so that the handler's own default counts. */
export function withValue(values: Values, name: string, value: unknown): Values {
  const next = { ...values };
  if (value === undefined) delete next[name];
  else next[name] = value;
  return next;
}

/** Types of Python in words; those of your own, and sentences, as they are. */
const TYPES: Record<string, string> = {
  int: "A whole number",
  float: "A number",
  bool: "True or false",
  str: "Text",
  "list[str]": "Texts",
  "list[int]": "Whole numbers",
  date: "A day",
  time: "A time of day",
  datetime: "A day and a time, of your own zone",
  timedelta: "A length of time, such as 90m or 1h 30m",
  list: "A list, as JSON",
  dict: "An object, as JSON",
  "str | int | float | bool": "Text or a number",
};

/** What belongs into a field, and what counts if nothing is given. */
export function hintOf({ description = "", default: usual }: Schema): string {
  const about = TYPES[description.replace(" | None", "").replace(/^datetime\./, "")] ?? description;
  const isTold = usual !== undefined && usual !== null && usual !== "";
  return [about, isTold && `${writeJson(usual)} if left empty`].filter(Boolean).join("; ");
}
