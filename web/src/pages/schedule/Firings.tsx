import type { Preview } from "@/api/types";
import { hourMinute } from "@/lib/time";
import { Tag } from "@/ui/State";
import { Time } from "@/ui/Time";

const MARKS: Record<string, string> = {
  gap: "Clock skips this hour",
  fold: "Hour comes twice",
  holiday: "Holiday",
};

/** The next firings; those that a changed clock or a holiday touches are marked. */
export function Firings({ preview }: { preview: Preview }) {
  return (
    <div>
      <p className="mb-2 font-medium">{preview.description}</p>
      {preview.firings.length === 0 && <p className="text-ink-2">The clock brings no firing.</p>}
      <ol className="divide-y divide-line rounded-md border border-line">
        {preview.firings.map((firing) => (
          <li key={firing.at} className="flex min-h-8 flex-wrap items-center gap-x-3 px-3 py-1">
            <span className="flex-1">
              <Time at={firing.at} planned />
            </span>
            {firing.mark && (
              <span title={firing.marks?.join("; ")}>
                <Tag mood="warn">{MARKS[firing.mark] ?? firing.mark}</Tag>
              </span>
            )}
            {!isSameClock(firing.at, firing.local) && (
              <span className="num text-xs text-ink-2" title={`${firing.local}, ${preview.zone}`}>
                {`${firing.local.slice(11, 16)} there`}
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

/** Whether the wall clock there shows what the viewer's does; then once is enough. */
function isSameClock(at: string, local: string): boolean {
  return hourMinute(at) === local.slice(11, 16);
}
