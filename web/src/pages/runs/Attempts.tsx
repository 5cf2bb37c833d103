import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { attempts } from "@/api/queries";
import type { Attempt, Run, RunError } from "@/api/types";
import { errorText, sentence, shortId } from "@/lib/format";
import { duration } from "@/lib/time";
import { LongText } from "@/ui/LongText";
import { Empty, Load } from "@/ui/Panels";
import { type Mood, Tag } from "@/ui/State";
import { TickLines, Ticks } from "@/ui/Ticks";
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
    <>
      <div className="border-b border-line px-4 py-2" aria-hidden>
        <Ticks start={start} whole={whole} />
      </div>
      <ol className="divide-y divide-line">
        {items.map((each, index) => {
          const mood = MOODS[each.kind] ?? "idle";
          const before = items[index - 1];
          return (
            <li key={each.number} className="px-4 py-3">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="num font-semibold">{`Attempt ${each.number}`}</span>
                <Tag mood={mood}>{sentence(each.kind)}</Tag>
                <span className="text-ink-2">
                  <Time at={each.startedAt} />
                  {each.endedAt ? ", took " : ", running for "}
                  <Duration from={each.startedAt} until={each.endedAt} />
                  {before && begin(each) > end(before) && (
                    <span className="num">{`, ${duration(begin(each) - end(before))} after the one before`}</span>
                  )}
                </span>
                <Where id={each.workerId} />
              </div>
              <div aria-hidden className="relative mt-2 h-2.5 overflow-clip rounded-sm bg-sunken">
                <TickLines whole={whole} />
                <div
                  className={`absolute h-full min-w-1 rounded-sm ${FILLS[mood]}`}
                  style={{
                    left: `${((begin(each) - start) / whole) * 100}%`,
                    width: `${((end(each) - begin(each)) / whole) * 100}%`,
                  }}
                />
              </div>
              {each.error && <Cause number={each.number} error={each.error} />}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Where({ id }: { id: string | null }) {
  if (!id) return null;
  return (
    <span className="ml-auto text-xs text-ink-2 max-sm:ml-0">
      worker{" "}
      <Link to="/workers" className="link font-mono" title={id}>
        {shortId(id)}
      </Link>
    </span>
  );
}

function Cause({ number, error }: { number: number; error: RunError }) {
  return (
    <details className="mt-2">
      <summary className="truncate font-mono text-xs text-bad">
        {errorText(error.type, error.message)}
      </summary>
      <LongText text={error.message} className="mt-2 font-mono text-xs" />
      {error.traceback.includes("\n") && (
        <pre
          role="region"
          aria-label={`Traceback of attempt ${number}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          tabIndex={0}
          className="scroll-thin mt-2 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
        >
          {error.traceback}
        </pre>
      )}
    </details>
  );
}
