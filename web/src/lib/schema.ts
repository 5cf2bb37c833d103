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
  $ref?: string;
}

export type Values = Record<string, unknown>;

export type Kind = "enum" | "boolean" | "number" | "string" | "json";

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

export function isWhole(schema: Schema): boolean {
  return schema.type === "integer" || (schema.anyOf?.some(isWhole) ?? false);
}

/** A blank of a command or an address takes any of these; people write what is to stand there. */
function isWordOrFigure(options: Schema[] | undefined): boolean {
  const kinds = options?.map(kindOf) ?? [];
  return kinds.includes("string") && !kinds.includes("json") && !kinds.includes("enum");
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

/** How such a text looks, where its form is prescribed. */
export function exampleOf(schema: Schema): string | undefined {
  const format = schema.format ?? schema.anyOf?.find((each) => each.format)?.format;
  return EXAMPLES[format ?? ""];
}
