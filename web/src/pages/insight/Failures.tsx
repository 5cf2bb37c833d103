import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import type { Overview } from "@/api/types";
import { count } from "@/lib/format";
import { Card, Empty } from "@/ui/Panels";
import { Time } from "@/ui/Time";

export function Failures({ figures, className }: { figures: Overview; className?: string }) {
  return (
    <Card
      title="Failures by cause"
      className={className ?? ""}
      flush
      aside={
        <Link to="/dead-letters" className="link">
          Dead letters
        </Link>
      }
    >
      {figures.failures.length === 0 ? (
        <Empty icon={CircleCheck} title="No failures">
          Nothing failed in this window.
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {figures.failures.slice(0, 6).map((each) => (
            <li key={each.fingerprint}>
              <Link
                to="/dead-letters"
                search={{ group: each.fingerprint } as never}
                className="flex gap-3 px-4 py-2.5 hover:bg-sunken"
              >
                <span className="num min-w-8 text-right font-semibold text-bad">
                  {count(each.count)}
                </span>
                <span className="min-w-0 flex-1">
                  <span className="line-clamp-2 font-mono text-xs break-words">{each.error}</span>
                  <span className="block truncate text-xs text-ink-2">
                    {`${each.job} ${each.versions.map((version) => `v${version}`).join(", ")} · first `}
                    <Time at={each.firstAt} /> · last <Time at={each.lastAt} ago />
                  </span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
