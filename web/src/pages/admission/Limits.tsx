import {
  Ban,
  CalendarClock,
  CircleGauge,
  CirclePause,
  Cpu,
  type LucideIcon,
  Zap,
} from "lucide-react";
import type { Limit } from "@/api/types";
import { capitalise, count, plural } from "@/lib/format";
import { Card, Progress } from "@/ui/Panels";

const ICONS: Record<Limit["kind"], LucideIcon> = {
  paused: CirclePause,
  window: CalendarClock,
  slots: Cpu,
  quota: CircleGauge,
  breaker: Zap,
};

/** What bounds the queue now, in the server's words; what stops it comes first. */
export function Limits({ limits, className }: { limits: Limit[]; className?: string }) {
  return (
    <Card title="Limits" flush className={className ?? ""} aside="what bounds it now">
      <ul className="divide-y divide-line">
        {limits.map((limit) => (
          <li key={limit.says} className="flex items-start gap-3 px-4 py-3">
            <Mark limit={limit} />
            <div className="min-w-0 flex-1 space-y-1.5">
              <p className="break-words">{sentenceOf(limit)}</p>
              {limit.used != null && limit.most ? (
                <Progress
                  share={limit.used / limit.most}
                  tone={limit.stops ? "bg-bad-fill" : "bg-run-fill"}
                  label={limit.says}
                />
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Mark({ limit }: { limit: Limit }) {
  const Icon = limit.stops && limit.kind === "slots" ? Ban : ICONS[limit.kind];
  return (
    <Icon
      aria-label={limit.stops ? "Holds runs back now" : "Holds nothing back now"}
      className={`mt-0.5 size-4 shrink-0 ${limit.stops ? "text-bad" : "text-ink-3"}`}
    />
  );
}

export function sentenceOf({ says, used, most }: Limit): string {
  if (most)
    return used == null ? `${count(most)} ${says}` : `${count(used)} of ${count(most)} ${says}`;
  const text = capitalise(says);
  return used ? `${text}: ${plural(used, "run")} held back` : text;
}
