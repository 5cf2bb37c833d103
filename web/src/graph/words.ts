/** What a node waits for and does, in words. */
import type { GraphNode } from "@/api/types";
import { count } from "@/lib/format";

const JOINS: Record<GraphNode["join"], string> = {
  all_success: "all before it succeeded",
  all_done: "all before it ended",
  all_failed: "all before it failed",
  all_done_setup_success: "all before it ended and what prepares succeeded",
  all_done_min_one_success: "all before it ended, one of them well",
  all_skipped: "all before it were skipped",
  one_done: "one before it ended",
  one_failed: "one before it failed",
  one_success: "one before it succeeded",
  none_failed: "none before it failed",
  none_failed_min_one_success: "none before it failed and one succeeded",
  none_skipped: "none before it was skipped",
  always: "at once",
};

/** The rule of a newer server as it is called; with nothing before it there is nothing to wait for. */
export function startsWhen(join: GraphNode["join"], parents: number): string {
  if (parents === 0) return "the graph starts";
  return JOINS[join] ?? join;
}

interface Items {
  total: number;
  done: number;
  running: number;
  failed: number;
  kept?: number;
}

/** "4 of 4 done, 1 failed": what is none is not said. */
export function itemsInWords({ total, done, running, failed, kept = 0 }: Items): string {
  const parts = [
    `${count(done)} of ${count(total)} done`,
    kept > 0 && `${count(kept)} kept from before`,
    running > 0 && `${count(running)} running`,
    failed > 0 && `${count(failed)} failed`,
  ];
  return parts.filter(Boolean).join(", ");
}
