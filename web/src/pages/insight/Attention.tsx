import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { Concern } from "@/api/types";
import { Card } from "@/ui/Panels";
import { Time } from "@/ui/Time";

/** What needs a person now, in the server's words: first on the page, and only while there is any. */
export function Attention({ concerns }: { concerns: Concern[] }) {
  if (concerns.length === 0) return null;
  return (
    <Card title="Needs attention" flush>
      <ul aria-label="Needs attention" className="divide-y divide-line">
        {concerns.map((each) => (
          <li key={`${each.kind} ${each.subject}`}>
            <Link {...placeOf(each)} className="flex items-start gap-3 px-4 py-2.5 hover:bg-sunken">
              <TriangleAlert
                aria-hidden
                className={`mt-0.5 size-4 shrink-0 ${URGENT.has(each.kind) ? "text-bad" : "text-warn"}`}
              />
              <span className="min-w-0 flex-1 break-words">
                <span className="font-medium">{each.says}</span>
                {each.note && <span> “{each.note}”</span>}{" "}
                <span className="text-ink-2">{each.advice.replaceAll("`", "")}</span>
              </span>
              <span className="text-xs text-ink-2">
                <Time at={each.since} ago none="" />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const URGENT = new Set<Concern["kind"]>(["unserved", "overdue", "silent"]);

function placeOf({ kind, subject }: Concern) {
  if (kind === "held") return { to: "/jobs/$id", params: { id: subject } } as const;
  if (kind === "overdue") return { to: "/schedules" } as const;
  if (kind === "silent" || kind === "lost" || !subject) return { to: "/workers" } as const;
  return { to: "/queues/$name", params: { name: subject } } as const;
}
