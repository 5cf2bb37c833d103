import type { Worker } from "@/api/types";
import { count, plural } from "@/lib/format";

const SHOWN = 2;

/** The first few by name, the others by their number. */
export function someOf(names: string[]): string {
  const left = names.length - SHOWN;
  const shown = names.slice(0, SHOWN).join(", ");
  return left > 0 ? `${shown} +${count(left)}` : shown;
}

/** The whole crew in one line; two versions at once are worth a word. */
export function crewInShort(all: Worker[]): string {
  const alive = all.filter((each) => each.alive);
  const slots = alive.reduce((sum, each) => sum + each.slots, 0);
  const busy = alive.reduce((sum, each) => sum + Math.min(each.busy, each.slots), 0);
  const versions = [...new Set(alive.map((each) => each.version))].sort();
  return [
    `${plural(alive.length, "worker")} alive`,
    `${count(busy)} of ${plural(slots, "slot")} busy`,
    alive.length < all.length && `${count(all.length - alive.length)} silent`,
    versions.length > 1 && `versions ${versions.join(" and ")}`,
  ]
    .filter(Boolean)
    .join(", ");
}
