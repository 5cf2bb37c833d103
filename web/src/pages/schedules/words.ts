/** The policies of schedules in words; what they do is the server's affair. */
type Options = readonly (readonly [string, string])[];

/** A policy in words; one of a newer server as it is called. */
export function inWords(options: Options, value: string | null | undefined): string {
  return options.find(([name]) => name === value)?.[1] ?? value ?? "–";
}

/** What can be typed as a trigger; a test asks the server about each of the examples. */
export const EXPRESSIONS =
  "A cron line such as 0 6 * * mon-fri, or @daily, @every 15m, @event orders.closed.";

export const OVERLAPS: Options = [
  ["allow", "Start all the same"],
  ["skip", "Leave it out"],
  ["queue_one", "One waits"],
  ["queue_all", "All wait in order"],
  ["cancel_old", "Stop the old one"],
  ["newest", "Only the newest waits"],
  ["strict", "All wait, none after a failure"],
];

export const CATCHUPS: Options = [
  ["last", "Start the last one"],
  ["none", "Leave it out"],
  ["all", "Start all of them"],
];

export const ROLLS: Options = [
  ["skip", "Leave it out"],
  ["next", "The next business day"],
  ["previous", "The one before"],
  ["modified_following", "The next within the month"],
];

export const GAPS: Options = [
  ["cron", "As cron does"],
  ["next", "When the gap ends"],
  ["skip", "Leave it out"],
  ["same", "As far after the gap"],
];

export const FOLDS: Options = [
  ["cron", "As cron does"],
  ["first", "The first time"],
  ["second", "The second time"],
  ["both", "Both times"],
];

export const BLACKOUTS: Options = [
  ["skip", "Firings are left out"],
  ["defer", "Firings happen at its end"],
  ["drain", "Nothing at all starts until its end"],
];

/** Why an instant has no run, or none yet. */
export const DECISIONS: Options = [
  ["waits", "Waits for the last run"],
  ["skipped", "Left out, as the last run still ran"],
  ["dropped", "Left out for a newer one"],
  ["blackout", "Left out by a maintenance window"],
];

/** Who or what started it, unless it was its time. */
export const KINDS: Options = [
  ["time", ""],
  ["manual", "by hand"],
  ["event", "by an event"],
  ["backfill", "by a backfill"],
];

/** Why a firing is not where the plain rule puts it. */
export const MARKS: Record<string, string> = {
  gap: "Clock skips this hour",
  fold: "Hour comes twice",
  holiday: "Holiday",
};
