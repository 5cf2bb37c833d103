// Makes package-lock.json fit to commit: no address in it, and installable everywhere.
//
// A mirror that lacks the packages of other systems (macOS, musl, ...) makes npm leave them out of
// the lock, and then `npm ci` refuses the lock. So each missing optional package gets an entry here.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));

const SYSTEMS = [
  "darwin",
  "win32",
  "linux",
  "freebsd",
  "openbsd",
  "netbsd",
  "android",
  "aix",
  "sunos",
  "openharmony",
];
const CHIPS = [
  "x64",
  "arm64",
  "arm",
  "ia32",
  "ppc64",
  "s390x",
  "riscv64",
  "wasm32",
  "loong64",
  "mips64el",
];

function homeOf(name, version) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.filter((each) => words.includes(each));
  const cpu = CHIPS.filter((each) => words.includes(each));
  return { version, optional: true, ...(os.length && { os }), ...(cpu.length && { cpu }) };
}

for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const known = Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`));
    if (!known) lock.packages[`node_modules/${name}`] = homeOf(name, version.replace(/^[\^~]/, ""));
  }
}
for (const entry of Object.values(lock.packages)) {
  delete entry.resolved;
  delete entry.funding;
}
const [root, ...rest] = Object.keys(lock.packages);
lock.packages = Object.fromEntries(
  [root, ...rest.sort()].map((path) => [path, lock.packages[path]]),
);
const text = `${JSON.stringify(lock, null, 2)}\n`;
if (text.includes("://")) throw new Error("package-lock.json still names an address");
writeFileSync(file, text);
