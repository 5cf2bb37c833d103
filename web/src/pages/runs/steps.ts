import type { Search } from "@/lib/search";

const NAMING = ["jobId", "queue", "text", "error", "label", "arg", "parentId"] as const;
const ENDED = ["success", "failed", "cancelled", "skipped"];

/**
 * Whether a list may do without the runs of nodes: a map of a thousand would hide everything else.
 * Who names a job, a queue or a text may mean one of them, and what runs now are mostly they.
 */
export function mayHideSteps(search: Search): boolean {
  return !(
    NAMING.some((name) => search[name]) ||
    (search.status && !ENDED.includes(search.status))
  );
}

export function hidesSteps(search: Search): boolean {
  return mayHideSteps(search) && !search.steps;
}
