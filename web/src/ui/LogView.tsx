/** A run's log, live: search, levels, terminal colours, download. Text stays text. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDownToLine, Download, Search } from "lucide-react";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import type { LogLine } from "@/api/types";
import { parseAnsi, stripAnsi } from "@/lib/ansi";
import { plural } from "@/lib/format";
import { countInWords, nothingShown, placeOf } from "@/lib/log";
import { timeOfDay, utc } from "@/lib/time";
import { useTyped } from "@/lib/useTyped";
import { IconButton } from "./Button";
import { Skeleton } from "./Panels";
import { toast } from "./Toasts";

const LEVELS = ["debug", "info", "warning", "error", "critical"] as const;
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

export interface Wanted {
  text: string;
  level: string;
}

interface Props {
  lines: LogLine[];
  live: boolean;
  /** There may be more than is here yet. */
  reading?: boolean;
  /** The place of the line before which lines are missing: of a very long log the middle. */
  gap?: string | null;
  onDownload: () => Promise<void>;
  height?: string;
  /** What is looked for, where the address of the page keeps it. */
  wanted?: Wanted;
  onWanted?: (wanted: Wanted) => void;
}

const TYPING_MS = 300;
const NOTHING: Wanted = { text: "", level: "" };

/** What is looked for: here at once, in the address when a person stops typing. */
function useWanted({ wanted = NOTHING, onWanted }: Pick<Props, "wanted" | "onWanted">) {
  const [text, setText] = useTyped(
    wanted.text,
    (now) => onWanted?.({ text: now, level }),
    TYPING_MS,
  );
  const [level, setLevel] = useTyped(wanted.level, (now) => onWanted?.({ text, level: now }), 0);
  return { text, setText, level, setLevel };
}

/** A live one keeps its height, so that nothing below it jumps; an ended one is as tall as it needs. */
export function LogView({ lines, live, reading, gap, onDownload, height, ...kept }: Props) {
  const { text, setText, level, setLevel } = useWanted(kept);
  const [isFollowing, setFollowing] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => filterLines(lines, text, level), [lines, text, level]);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 20,
    overscan: 30,
    getItemKey: (index) => {
      const line = shown[index];
      return line ? placeOf(line) : index;
    },
  });

  useEffect(() => {
    if (isFollowing && shown.length) virtual.scrollToIndex(shown.length - 1, { align: "end" });
  }, [isFollowing, shown.length, virtual]);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    if (isAtEnd !== isFollowing) setFollowing(isAtEnd);
  };

  if (!live && lines.length === 0) {
    if (reading) return <Skeleton lines={3} />;
    return <p className="p-4 text-ink-2">This run printed nothing.</p>;
  }
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <div className="relative min-w-40 flex-1 max-sm:basis-full">
          <Search aria-hidden className="absolute inset-y-0 left-2 my-auto size-4 text-ink-3" />
          <input
            type="search"
            aria-label="Search in the log"
            placeholder="Search in the log"
            className="field w-full pl-8"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <select
          aria-label="Lowest level"
          className="field max-sm:min-w-24 max-sm:flex-1"
          value={level}
          onChange={(event) => setLevel(event.target.value)}
        >
          <option value="">All levels</option>
          {LEVELS.slice(1).map((each) => (
            <option key={each} value={each}>
              {each} and worse
            </option>
          ))}
        </select>
        <span className="num text-xs whitespace-nowrap text-ink-2">
          {countInWords(shown.length, lines.length)}
          {live && " · live"}
        </span>
        <Found many={shown.length} text={text} level={level} />
        <IconButton
          label="Follow the end"
          aria-pressed={isFollowing}
          className={isFollowing ? "bg-accent-soft text-accent" : ""}
          onClick={() => setFollowing(!isFollowing)}
        >
          <ArrowDownToLine className="size-4" />
        </IconButton>
        <IconButton label="Download the log" onClick={() => void onDownload().catch(toast.failed)}>
          <Download className="size-4" />
        </IconButton>
      </div>
      <div
        ref={scroller}
        onScroll={onScroll}
        role="log"
        aria-label="Log lines"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className={`scroll-thin overflow-auto font-mono text-xs leading-5 ${height ?? (live ? LIVE_HEIGHT : ENDED_HEIGHT)}`}
      >
        {shown.length === 0 && (
          <p className="p-4 font-sans text-sm text-ink-2">{nothingShown(lines.length, reading)}</p>
        )}
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const line = shown[item.index];
            const before = shown[item.index - 1];
            return (
              line && (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  className="absolute inset-x-0 top-0"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  {placeOf(line) === gap && <Gap reading={reading ?? false} />}
                  {startsAttempt(line, before) && <Start line={line} />}
                  <Line line={line} text={text} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Heard once for each search, not for each line that comes. */
function Found({ many, text, level }: Wanted & { many: number }) {
  const latest = useRef(many);
  latest.current = many;
  const [told, setTold] = useState("");
  useEffect(() => {
    const found = () => setTold(`${plural(latest.current, "line")} found`);
    const timer = setTimeout(text || level ? found : () => setTold(""), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text, level]);
  return (
    <span role="status" className="sr-only">
      {told}
    </span>
  );
}

const SETTLED_MS = 600;

/** Whole lines of 20 px: none is cut in half at the edge. */
const LIVE_HEIGHT = "h-110 max-sm:h-70";
const ENDED_HEIGHT = "max-h-110 min-h-30";

/** A run that was tried again has the lines of all attempts below one another. */
export function startsAttempt(line: LogLine, before: LogLine | undefined): boolean {
  if (!before) return line.attempt > 1;
  return line.attempt !== before.attempt || line.claim !== before.claim;
}

function Start({ line }: { line: LogLine }) {
  return (
    <p className="flex h-5 items-center gap-2 px-3 font-sans text-2xs font-medium text-ink-2 select-none">
      <span className="whitespace-nowrap">{`Attempt ${line.attempt}`}</span>
      <span className="h-px flex-1 bg-line" />
    </p>
  );
}

function Gap({ reading }: { reading: boolean }) {
  return (
    <p className="my-0 flex h-10 items-center bg-sunken px-3 font-sans text-xs text-ink-2 select-none">
      {reading
        ? "Reading the lines between …"
        : "Lines are left out here: the log is too long for a page. The download has them all."}
    </p>
  );
}

const Line = memo(function Line({ line, text }: { line: LogLine; text: string }) {
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

export function filterLines(lines: LogLine[], text: string, level: string): LogLine[] {
  if (!text && !level) return lines;
  const lowest = LEVELS.indexOf(level as (typeof LEVELS)[number]);
  const needle = text.toLowerCase();
  return lines.filter((line) => {
    const rank = LEVELS.indexOf((line.level?.toLowerCase() ?? "") as (typeof LEVELS)[number]);
    if (lowest > 0 && rank < lowest) return false;
    return !needle || stripAnsi(line.text).toLowerCase().includes(needle);
  });
}
