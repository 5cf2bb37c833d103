/** The blanks of a template as rows of a form: the API tells them as JSON Schema and takes them by name. */
import type { Body } from "@/api/client";
import { numberOf, wholeOf } from "@/lib/json";

type Wish = Body<"replaceTemplate">;
type Told = NonNullable<Wish["parameters"]>[string];
type Value = string | number | boolean;

export const TYPES = ["string", "integer", "number", "boolean"] as const;

export interface Blank {
  name: string;
  type: (typeof TYPES)[number];
  initial: string;
  choices: string;
  description: string;
}

export const blank = (name: string) => `\${${name}}`;

export const EXAMPLE: { definition: Record<string, unknown>; blanks: Blank[] } = {
  definition: {
    name: `report-${blank("region")}`,
    command: ["python", "report.py", blank("region")],
    retries: 3,
  },
  blanks: [{ name: "region", type: "string", initial: "", choices: "", description: "" }],
};

interface Known {
  type?: Blank["type"];
  default?: Value;
  enum?: Value[];
  description?: string;
}

export function blanksOf(schema: Record<string, unknown>): Blank[] {
  const properties = (schema.properties ?? {}) as Record<string, Known>;
  return Object.entries(properties).map(([name, each]) => ({
    name,
    type: each.type ?? "string",
    initial: each.default === undefined ? "" : String(each.default),
    choices: each.enum?.map(String).join(", ") ?? "",
    description: each.description ?? "",
  }));
}

export function bodyOf(
  definition: Record<string, unknown>,
  blanks: Blank[],
  description: string,
): Wish {
  const parameters = Object.fromEntries(blanks.map((each) => [each.name.trim(), toldOf(each)]));
  return { definition, parameters, description };
}

function toldOf({ type, initial, choices, description }: Blank): Told {
  const several = choices.split(",").map((each) => each.trim());
  return {
    type,
    default: initial.trim() === "" ? null : typed(type, initial),
    choices: several.filter(Boolean).map((each) => typed(type, each)),
    description,
  };
}

/** What is no number is sent as it is: the server says what is wrong with it. */
function typed(type: Blank["type"], text: string): Value {
  const trimmed = text.trim();
  if (type === "boolean" && /^(true|false)$/.test(trimmed)) return trimmed === "true";
  if (type !== "integer" && type !== "number") return trimmed;
  const number = type === "integer" ? wholeOf(trimmed) : numberOf(trimmed);
  return (number ?? trimmed) as Value;
}
