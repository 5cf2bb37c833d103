// The typed client's facts, from the API's own description: types of bodies and answers, and what
// each operation takes and gives.
//   npm run api                 writes src/api/generated.ts
//   npm run api -- --check      fails when that file says something else than the description
// The description comes from the Python that has Rota: ROTA_PYTHON, or that of `make setup`.
// TypeScript 7 has no programming interface that the usual generators could use, so this is ours.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const OUT = new URL("../src/api/generated.ts", import.meta.url);
const PREFIX = "/api/v1";

function description() {
  const python = process.env.ROTA_PYTHON ?? "../.venv/bin/python";
  const told = execFileSync(python, ["-m", "rota.api.describe"], { maxBuffer: 1 << 26 });
  return JSON.parse(told);
}

const document = description();
const schemas = document.components?.schemas ?? {};

/** `Page_RunDocument` is `Page<RunDocument>`. */
function nameOf(ref) {
  const name = ref.split("/").at(-1);
  const page = /^Page_(\w+)$/.exec(name);
  return page ? `Page<${page[1]}>` : name.replace(/\W+/g, "_");
}

const keyOf = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

function typeOf(schema, isWhole) {
  if (schema === true || !schema || Object.keys(schema).length === 0) return "unknown";
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return [...new Set(either.map((each) => typeOf(each, isWhole)))].join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, isWhole)).join(" | ");
  return plainType(schema, isWhole);
}

const PLAIN = { string: "string", integer: "number", number: "number", boolean: "boolean" };

function plainType(schema, isWhole) {
  if (schema.type === "null") return "null";
  if (schema.type === "array") return `Array<${typeOf(schema.items, isWhole)}>`;
  if (schema.type === "object") return objectType(schema, isWhole);
  return PLAIN[schema.type] ?? "unknown";
}

function objectType(schema, isWhole) {
  if (!schema.properties) return `Record<string, ${typeOf(schema.additionalProperties, isWhole)}>`;
  const required = new Set(isWhole ? Object.keys(schema.properties) : schema.required);
  const fields = Object.entries(schema.properties).map(
    ([name, each]) => `  ${keyOf(name)}${required.has(name) ? "" : "?"}: ${typeOf(each, isWhole)};`,
  );
  return `{\n${fields.join("\n")}\n}`;
}

/** Names of all schemas that something holds, however deep. */
function held(thing, found = new Set()) {
  if (!thing || typeof thing !== "object") return found;
  const name = thing.$ref?.split("/").at(-1);
  if (name && !found.has(name)) {
    found.add(name);
    held(schemas[name], found);
  }
  for (const each of Object.values(thing)) held(each, found);
  return found;
}

function operations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    path.startsWith(PREFIX)
      ? Object.entries(methods).map(([method, operation]) => ({
          ...operation,
          place: `${method.toUpperCase()} ${path.slice(PREFIX.length).replace(/\{\w+\}/g, "{}")}`,
        }))
      : [],
  );
}

const json = (part) => part?.content?.["application/json"]?.schema;
const answerOf = (operation) =>
  json(Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1]);

/** A body that may be null may as well be left out. */
function bodyType(schema) {
  const type = typeOf(schema, false);
  return type.endsWith(" | null") ? `body?: ${type.slice(0, -7)}` : `body: ${type}`;
}

function operationType(operation) {
  const inside = (place) => (operation.parameters ?? []).filter((each) => each.in === place);
  const names = inside("path").map((each) => `${camel(each.name)}: ${typeOf(each.schema, false)}`);
  const query = inside("query").map(
    (each) => `${keyOf(each.name)}${each.required ? "" : "?"}: ${typeOf(each.schema, false)}`,
  );
  const body = json(operation.requestBody);
  const parts = [
    names.length && `path: [${names.join(", ")}]`,
    query.length &&
      `query${query.some((each) => !each.includes("?:")) ? "" : "?"}: { ${query.join("; ")} }`,
    body && bodyType(body),
    `answer: ${typeOf(answerOf(operation), true)}`,
  ];
  return `  ${operation.operationId}: { ${parts.filter(Boolean).join("; ")} };`;
}

function render() {
  const all = operations();
  // Answers are whole: what has a default is in them too. What is also sent is not so sure.
  const sent = all.reduce((found, each) => held(json(each.requestBody), found), new Set());
  const leaky = new Set([...sent, ...held(schemas.Problem), "Problem"]);
  const types = Object.entries(schemas)
    .filter(([name]) => !name.startsWith("Page_"))
    .map(([name, schema]) => `export type ${nameOf(name)} = ${typeOf(schema, !leaky.has(name))};`);
  return [
    "/** Made by `npm run api` from the description of the API; do not edit. */",
    "export interface Page<Item> {\n  items: Array<Item>;\n  next: string | null;\n}",
    ...types,
    `/** What each operation takes and answers. */\nexport interface Operations {\n${all.map(operationType).join("\n")}\n}`,
    `/** Where each one is; names come where the braces are. */\nexport const PLACES: Record<keyof Operations, string> = {\n${all.map((each) => `  ${each.operationId}: "${each.place}",`).join("\n")}\n};\n`,
  ].join("\n\n");
}

const text = render();
const known = existsSync(OUT) ? readFileSync(OUT, "utf8") : "";
if (process.argv.includes("--check")) {
  if (known !== text) {
    console.error("src/api/generated.ts does not fit the API any more: run `npm run api` in web/");
    process.exit(1);
  }
} else {
  writeFileSync(OUT, text);
  console.log(`${Object.keys(schemas).length} types, ${operations().length} operations`);
}
