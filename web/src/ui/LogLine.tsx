/** A line of a log, and what may stand above it. Text stays text. */
import { memo } from "react";
import type { LogLine } from "@/api/types";
import { parseAnsi } from "@/lib/ansi";
import { timeOfDay, utc } from "@/lib/time";

const TONES: Record<string, string> = {
  debug: "text-ink-3",
  info: "text-run",
  warning: "text-warn",
  error: "text-bad",
  critical: "text-bad font-bold",
};

/** A phone has no room for the word; down a long log the eye finds it sooner. */
const EDGES: Record<string, string> = {
  warning: "border-warn-fill",
  error: "border-bad-fill",
  critical: "border-bad-fill",
};

const WORDS: Record<string, string> = { warning: "WARN", critical: "CRIT" };

export const Line = memo(function Line({ line, text }: { line: LogLine; text: string }) {
  const level = line.level?.toLowerCase() ?? "";
  const isError = line.stream === "stderr" && !level;
  return (
    <div
      className={`flex gap-3 border-l-2 px-3 hover:bg-sunken ${EDGES[level] ?? "border-transparent"}`}
    >
      <span
        className="num shrink-0 text-ink-3 select-none max-sm:hidden"
        title={`${utc(line.at)}, attempt ${line.attempt}`}
      >
        {timeOfDay(line.at)}
      </span>
      <span
        className={`w-10 shrink-0 select-none max-sm:hidden ${TONES[level] ?? "text-ink-3"}`}
        title={line.level ?? line.stream}
      >
        {level ? (WORDS[level] ?? level.slice(0, 5).toUpperCase()) : isError ? "ERR" : ""}
      </span>
      <span className="min-w-0 flex-1 whitespace-pre-wrap break-words">
        {parseAnsi(line.text).map((span, index) => (
          <span key={index} className={span.classes}>
            <Marked text={span.text} wanted={text} />
          </span>
        ))}
      </span>
    </div>
  );
});

/** The places that were searched for, marked. */
function Marked({ text, wanted }: { text: string; wanted: string }) {
  if (!wanted) return text;
  // In brackets, so that what stands between the places is at the even ones. A text in small letters
  // would not do: some letters become two.
  const sought = new RegExp(`(${wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")})`, "gi");
  return text.split(sought).map((part, index) =>
    index % 2 ? (
      <mark key={index} className="rounded-sm bg-warn-fill/40 text-inherit">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}

/** A run that was tried again has the lines of all attempts below one another. */
export function startsAttempt(line: LogLine, before: LogLine | undefined): boolean {
  if (!before) return line.attempt > 1;
  return line.attempt !== before.attempt || line.claim !== before.claim;
}

export function Start({ line }: { line: LogLine }) {
  return (
    <p className="flex h-5 items-center gap-2 px-3 font-sans text-2xs font-medium text-ink-2 select-none">
      <span className="whitespace-nowrap">{`Attempt ${line.attempt}`}</span>
      <span className="h-px flex-1 bg-line" />
    </p>
  );
}

export function Gap({ reading }: { reading: boolean }) {
  return (
    <p className="my-0 flex h-10 items-center bg-sunken px-3 font-sans text-xs text-ink-2 select-none">
      {reading
        ? "Reading the lines between …"
        : "Lines are left out here: the log is too long for a page. The download has them all."}
    </p>
  );
}
