/** The words of what is done to many runs at once. */
import type { Run } from "@/api/types";
import { count, plural } from "@/lib/format";

export type Verb = "cancel" | "rerun";

/** What a person agrees to. */
export function effectOf(verb: Verb, many: number): string {
  if (verb === "rerun") {
    return many === 1
      ? "A new run is submitted with the arguments of this one, which stays as it is."
      : "New runs are submitted with the arguments of these, which stay as they are.";
  }
  return many === 1
    ? "If it waits it never starts; if it runs it is asked to stop. What it has done stays done."
    : "Those that wait never start, those that run are asked to stop. What they have done stays done.";
}

const NAMED = 3;

/** "charge (12), sync_stock (3) and 2 other jobs": the largest first. */
export function jobsOf(runs: Run[]): string {
  const byJob = new Map<string, number>();
  for (const { jobId } of runs) byJob.set(jobId, (byJob.get(jobId) ?? 0) + 1);
  const jobs = [...byJob].sort(([, a], [, b]) => b - a);
  const named = jobs.slice(0, NAMED).map(([job, many]) => `${job} (${count(many)})`);
  const others = jobs.length - named.length;
  if (others > 0) return `${named.join(", ")} and ${plural(others, "other job")}`;
  return jobs.length === 1 ? `All of job ${jobs[0]?.[0]}` : named.join(", ");
}

/** Those chosen that the verb is not for. */
export function leftOut(many: number): string {
  if (many <= 0) return "";
  return many === 1
    ? "One of the chosen is left alone: its state does not allow it."
    : `${count(many)} of the chosen are left alone: their state does not allow it.`;
}

export function nothingToDo(chosen: Run[]): string {
  return chosen.length > 0 && chosen.every((run) => run.parentId)
    ? "Steps that have ended: rerun their graph, from that node if need be."
    : "Your role may only look at them.";
}
