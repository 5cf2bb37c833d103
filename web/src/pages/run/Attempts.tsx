import { useQuery } from "@tanstack/react-query";
import { attempts } from "@/api/queries";
import type { Attempt, Run } from "@/api/types";
import { sentence } from "@/lib/format";
import { Empty, Load } from "@/ui/Panels";
import { type Mood, Tag } from "@/ui/State";
import { Duration, Time, useNow } from "@/ui/Time";

const MOODS: Record<string, Mood> = {
  success: "ok",
  failed: "bad",
  error: "bad",
  timeout: "bad",
  crash: "bad",
  lost: "bad",
  running: "run",
};

const FILLS: Record<Mood, string> = {
  ok: "bg-ok-fill",
  bad: "bg-bad-fill",
  warn: "bg-warn-fill",
  run: "bg-run-fill",
  idle: "bg-idle-fill",
  wait: "bg-wait-fill",
};

/** Every try on one time axis, so that the waits between them can be seen too. */
export function Attempts({ run }: { run: Run }) {
  const query = useQuery(attempts(run.executionId));
  return (
    <Load query={query}>
      {({ items }) => {
        const all = withLatest(items, run);
        if (all.length > 0) return <Timeline items={all} />;
        return <Empty title="No attempt yet">It appears here when a worker takes the run.</Empty>;
      }}
    </Load>
  );
}

/** The API lists what went wrong; the try that runs now, or ended well, is the run itself. */
export function withLatest(items: Attempt[], run: Run): Attempt[] {
  const sorted = [...items].sort((a, b) => a.number - b.number);
  const isListed = sorted.some((each) => each.number >= run.attempt);
  if (isListed || !run.startedAt || run.attempt === 0) return sorted;
  const { attempt: number, state: kind, workerId, startedAt, finishedAt: endedAt } = run;
  return [...sorted, { number, kind, workerId, startedAt, endedAt, error: null }];
}

function Timeline({ items }: { items: Attempt[] }) {
  const now = useNow();
  const end = (each: Attempt) => (each.endedAt ? Date.parse(each.endedAt) : now);
  const begin = (each: Attempt) => (each.startedAt ? Date.parse(each.startedAt) : end(each));
  const start = Math.min(...items.map(begin));
  const whole = Math.max(1, Math.max(...items.map(end)) - start);
  return (
    <ol className="divide-y divide-line">
      {items.map((each) => {
        const mood = MOODS[each.kind] ?? "idle";
        return (
          <li key={each.number} className="px-4 py-3">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <span className="num w-6 font-semibold">{each.number}</span>
              <Tag mood={mood}>{sentence(each.kind)}</Tag>
              <Time at={each.startedAt} />
              <Duration from={each.startedAt} until={each.endedAt} />
              <span className="min-w-0 flex-1 truncate text-right font-mono text-xs text-ink-2">
                {each.workerId}
              </span>
            </div>
            <div aria-hidden className="relative mt-2 h-1.5 rounded-full bg-sunken">
              <div
                className={`absolute h-full min-w-1 rounded-full ${FILLS[mood]}`}
                style={{
                  left: `${((begin(each) - start) / whole) * 100}%`,
                  width: `${((end(each) - begin(each)) / whole) * 100}%`,
                }}
              />
            </div>
            {each.error && (
              <details className="mt-2">
                <summary className="truncate font-mono text-xs text-bad">{`${each.error.type}: ${each.error.message}`}</summary>
                {each.error.traceback && (
                  <pre
                    role="region"
                    aria-label={`Traceback of attempt ${each.number}`}
                    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
                    tabIndex={0}
                    className="scroll-thin mt-1 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
                  >
                    {each.error.traceback}
                  </pre>
                )}
              </details>
            )}
          </li>
        );
      })}
    </ol>
  );
}
