/** Runs as pages know them: the API keeps older public words beside the newer ones. */
import type { Page, Run } from "./types";

type Raw<T extends Run> = Omit<T, "state" | "job"> & Partial<Pick<T, "state" | "job">>;

export function asRun<T extends Run>(raw: Raw<T>): T {
  const state = raw.state ?? (raw as { status?: Run["state"] }).status;
  return { ...raw, state, job: raw.job ?? raw.jobId } as T;
}

export function asRuns(page: Page<Run>): Page<Run> {
  return { ...page, items: page.items.map((run) => asRun<Run>(run)) };
}
