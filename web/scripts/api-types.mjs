// TypeScript for what the API says, from its own description:
//   npm run api -- http://127.0.0.1:8470/api/v1/openapi.json TOKEN    (or the name of a file)
// TypeScript 7 has no programming interface that the usual generators could use, so this is ours.
import { readFileSync, writeFileSync } from "node:fs";

const [source, token] = process.argv.slice(2);
if (!source) {
  console.error("usage: npm run api -- ADDRESS-OR-FILE [TOKEN]");
  process.exit(2);
}

const OUT = new URL("../src/api/generated.ts", import.meta.url);

async function description() {
  if (!/^https?:/.test(source)) return JSON.parse(readFileSync(source, "utf8"));
  const answer = await fetch(source, {
    headers: token ? { Authorization: `Bearer ${token}` } : {},
  });
  if (!answer.ok) throw new Error(`${source} answered ${answer.status}`);
  return answer.json();
}

const nameOf = (ref) => ref.split("/").at(-1).replace(/\W+/g, "_");
const keyOf = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function typeOf(schema) {
  if (schema === true || !schema || Object.keys(schema).length === 0) return "unknown";
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return [...new Set(either.map(typeOf))].join(" | ");
  if (schema.allOf) return schema.allOf.map(typeOf).join(" & ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  return plainType(schema);
}

function plainType(schema) {
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `Array<${typeOf(schema.items)}>`;
    case "object":
      return objectType(schema);
    default:
      return "unknown";
  }
}

function objectType(schema) {
  if (!schema.properties) return `Record<string, ${typeOf(schema.additionalProperties)}>`;
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(
    ([name, each]) => `  ${keyOf(name)}${required.has(name) ? "" : "?"}: ${typeOf(each)};`,
  );
  return `{\n${fields.join("\n")}\n}`;
}

const document = await description();
const schemas = Object.entries(document.components?.schemas ?? {});
const body = schemas.map(([name, schema]) => `export type ${nameOf(name)} = ${typeOf(schema)};\n`);
writeFileSync(
  OUT,
  `/** Made by \`npm run api\` from the description of the API; do not edit. */\n\n${body.join("\n")}`,
);
console.log(`${schemas.length} types in src/api/generated.ts`);
