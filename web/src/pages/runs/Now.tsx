import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import { why } from "@/api/queries";
import type { Reason, Run, RunError } from "@/api/types";
import { hasArgs } from "@/lib/args";
import { capitalise, percent } from "@/lib/format";
import { JsonView } from "@/ui/Json";
import { LongText } from "@/ui/LongText";
import { Progress } from "@/ui/Panels";
import { Time } from "@/ui/Time";

/** What matters most at this moment: the error, what it waits for, or how far it is. */
export function Now({ run }: { run: Run }) {
  const isOpen = !run.finishedAt;
  return (
    <div className="mb-4 space-y-3 empty:hidden">
      {run.error ? <Failure run={run} error={run.error} /> : run.reason && <Ending run={run} />}
      {isOpen && run.cancelRequested && run.state !== "suspended" && (
        <p className="rounded-lg border border-warn/30 bg-warn-soft px-4 py-3">
          It was asked to stop and does so as soon as it can.
        </p>
      )}
      {isOpen && run.progress != null && (
        <HowFar share={run.progress / 100} note={run.progressNote} />
      )}
      {isOpen && run.state !== "running" && <WhyNot run={run} />}
    </div>
  );
}

function Failure({ run, error }: { run: Run; error: RunError }) {
  return (
    <div className="rounded-lg border border-bad/30 bg-bad-soft px-4 py-3">
      <h2 className="font-mono text-xs font-semibold text-bad break-words">{error.type}</h2>
      <LongText text={error.message} className="mt-0.5" />
      {run.reason && (
        <p className="mt-1 text-xs text-ink-2 break-words">{capitalise(run.reason)}</p>
      )}
      {hasArgs(run.args) && (
        <details className="mt-2" open>
          <summary className="text-xs text-ink-2">Arguments</summary>
          <div className="mt-1 [&_pre]:max-h-48 [&_pre]:bg-surface">
            <JsonView value={run.args} label="Arguments" />
          </div>
        </details>
      )}
      {error.traceback.includes("\n") && (
        <details className="mt-2" open={isShort(error.traceback)}>
          <summary className="text-xs text-ink-2">Traceback</summary>
          <pre
            role="region"
            aria-label="Traceback"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
            tabIndex={0}
            className="scroll-thin mt-1 max-h-80 overflow-auto rounded-md bg-surface p-3 font-mono text-xs"
          >
            {error.traceback}
          </pre>
        </details>
      )}
      <Letter run={run} />
    </div>
  );
}

/** Why it is as it is, where there is no error. */
function Ending({ run }: { run: Run }) {
  const look = run.state === "failed" ? "border-bad/30 bg-bad-soft" : "border-line bg-sunken";
  return (
    <div className={`rounded-lg border px-4 py-3 ${look}`}>
      <LongText text={capitalise(run.reason ?? "")} />
      <Letter run={run} />
    </div>
  );
}

function HowFar({ share, note }: { share: number; note: string | null }) {
  return (
    <div className="card px-4 py-3">
      <div className="mb-2 flex justify-between gap-4">
        <span className="truncate">{note ?? "Progress"}</span>
        <span className="num font-medium whitespace-nowrap">{percent(share)}</span>
      </div>
      <Progress share={share} label="Progress" />
    </div>
  );
}

/** A run of a graph is suspended while its nodes run: it goes on, unless somebody has paused it. */
function goesOn(run: Run): boolean {
  return run.state === "suspended" && !run.paused;
}

/** That nodes run, or wait for others, is how every graph goes. */
const USUAL = ["blocked", "running"];

function WhyNot({ run }: { run: Run }) {
  const { data } = useQuery(why(run.executionId));
  const isGraph = goesOn(run);
  const reasons = (data?.items ?? []).filter(({ kind }) => !isGraph || !USUAL.includes(kind));
  if (reasons.length === 0) return null;
  return (
    <div className="rounded-lg border border-warn/30 bg-warn-soft px-4 py-3">
      <h2 className="mb-1 flex items-center gap-2 font-semibold text-warn">
        <CircleHelp aria-hidden className="size-4" />
        {isGraph ? "What is it waiting for?" : "Why is it not running?"}
      </h2>
      <ul className="space-y-1">
        {reasons.map((reason, index) => (
          <li key={index} className="break-words">
            {capitalise(reason.says)}
            {reason.until && (
              <>
                {", until "}
                <Time at={reason.until} />
              </>
            )}
            <Remedy reason={reason} run={run} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type Place = "queue" | "workers" | "job";

/** Where the kinds of reasons can be looked into, and mostly put right. */
const PLACES: Record<string, Place> = {
  paused: "queue",
  ahead: "queue",
  held: "job",
  no_worker: "workers",
  unserved_queue: "workers",
  unknown_job: "workers",
  draining: "workers",
  busy: "workers",
  stalled: "workers",
};

function Remedy({ reason, run }: { reason: Reason; run: Run }) {
  const place = PLACES[reason.kind];
  return (
    place && (
      <Link
        {...wayTo(place, run)}
        className="link ml-2 whitespace-nowrap"
      >{`See the ${place}`}</Link>
    )
  );
}

function wayTo(place: Place, run: Run) {
  if (place === "queue") return { to: "/queues/$name", params: { name: run.queue } } as const;
  if (place === "job") return { to: "/jobs/$id", params: { id: run.jobId } } as const;
  return { to: "/workers" } as const;
}

/** A run of a graph's node leaves none: the graph itself does. */
function Letter({ run }: { run: Run }) {
  if (run.state !== "failed" || run.parentId) return null;
  return (
    <p className="mt-2 text-xs">
      <Link to="/dead-letters" search={{ id: run.executionId } as never} className="link">
        Dead letter: redrive or discard it, see others like it
      </Link>
    </p>
  );
}

const SHORT = 15;

function isShort(traceback: string): boolean {
  return traceback.trimEnd().split("\n").length <= SHORT;
}
