import type { Preview } from "@/api/types";
import { asField } from "@/lib/time";
import { Tag } from "@/ui/State";
import { Time } from "@/ui/Time";
import { MARKS } from "./words";

interface Props {
  preview: Preview;
  /** Instead of what the rule means, where that stands already. */
  title?: string;
  /** It would fire then, if somebody resumed it. */
  isPaused?: boolean;
}

/** The next firings; those that a changed clock or a holiday touches are marked. */
export function Firings({ preview, title, isPaused }: Props) {
  const { firings, zone, description } = preview;
  return (
    <div>
      <p className="mb-2 font-medium">{title ?? description}</p>
      {isPaused && firings.length > 0 && (
        <p className="mb-2 text-xs text-ink-2">It would fire at these times if it were active.</p>
      )}
      {firings.length === 0 && <p className="text-ink-2">No firing is ahead.</p>}
      <ol
        className={`divide-y divide-line rounded-md border-line ${firings.length ? "border" : ""}`}
      >
        {firings.map((firing) => (
          <li
            key={firing.at}
            className={`flex min-h-8 flex-wrap items-center gap-x-3 px-3 py-1 ${isPaused ? "text-ink-2" : ""}`}
          >
            <span className="flex-1">
              <Time at={firing.at} planned />
            </span>
            {firing.mark && (
              <span title={firing.marks?.join("; ")}>
                <Tag mood="warn">{MARKS[firing.mark] ?? firing.mark}</Tag>
              </span>
            )}
            {!isSameClock(firing.at, firing.local) && (
              <span className="num text-xs text-ink-2" title={`${firing.local}, ${zone}`}>
                {`${firing.local.slice(11, 16)} in ${cityOf(zone)}`}
              </span>
            )}
            <span className="text-xs text-ink-2">
              <Time at={firing.at} ago />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** "New York" of America/New_York. */
function cityOf(zone: string): string {
  return (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
}

/** Whether clock and calendar there show what the viewer's do; then once is enough. */
function isSameClock(at: string, local: string): boolean {
  return asField(at) === local.slice(0, "2026-11-17T02:30".length);
}
