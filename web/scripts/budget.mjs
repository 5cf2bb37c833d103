// The first load: what the browser fetches and runs before the overview stands. The limit is far
// below the 250 kB that it may have: it grew once without anybody noticing.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 175_000;
const FIRST_PAGE = /^Overview-/;
const dist = new URL("../../src/rota/web/dist/", import.meta.url);
const read = (name) => readFileSync(new URL(`assets/${name}`, dist), "utf8");

/** A chunk and all that it imports at once; what it imports late does not count. */
function withImports(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, other] of read(name).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
    withImports(other, seen);
  return seen;
}

const html = readFileSync(new URL("index.html", dist), "utf8");
const entry = /src="\/assets\/([^"]+\.js)"/.exec(html)?.[1];
const page = readdirSync(new URL("assets/", dist)).find(
  (name) => FIRST_PAGE.test(name) && name.endsWith(".js"),
);
const scripts = withImports(page, withImports(entry));
const total = [...scripts].reduce(
  (sum, name) => sum + gzipSync(read(name), { level: 9 }).length,
  0,
);
console.log(
  `first load: ${(total / 1000).toFixed(1)} kB of script, gzipped, in ${scripts.size} files (limit ${LIMIT / 1000})`,
);
if (/<(script(?![^>]*\bsrc=)|style)\b|\son\w+=/i.test(html)) {
  console.error(
    "index.html holds inline scripts or styles, which the content security policy refuses",
  );
  process.exit(1);
}
if (total > LIMIT) process.exit(1);
