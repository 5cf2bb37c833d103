/** A run's log, live: search, levels, terminal colours, download. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import type { LogLine } from "@/api/types";
import { filterLines, nothingShown, placeOf } from "@/lib/log";
import { useTyped } from "@/lib/useTyped";
import { Gap, Line, Start, startsAttempt } from "./LogLine";
import { LogTools, type Looking } from "./LogTools";
import { Skeleton } from "./Panels";

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
function useWanted({ wanted = NOTHING, onWanted }: Pick<Props, "wanted" | "onWanted">): Looking {
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
  const looking = useWanted(kept);
  const { text, level } = looking;
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
      <LogTools
        looking={looking}
        shown={shown.length}
        all={lines.length}
        live={live}
        isFollowing={isFollowing}
        onFollow={() => setFollowing(!isFollowing)}
        onDownload={onDownload}
      />
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

/** Whole lines of 20 px: none is cut in half at the edge. */
const LIVE_HEIGHT = "h-110 max-sm:h-70";
const ENDED_HEIGHT = "max-h-110 min-h-30";
