import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BellRing, TriangleAlert } from "lucide-react";
import { openIncidents } from "@/api/queries";
import type { Concern, Incident } from "@/api/types";
import { Card } from "@/ui/Panels";
import { Time } from "@/ui/Time";

/** What needs a person now, and open incidents: first on the page, and only while there is any. */
export function Attention({ concerns }: { concerns: Concern[] }) {
  const { data } = useQuery(openIncidents());
  const incidents = newIn(data?.items ?? [], concerns);
  if (concerns.length + incidents.length === 0) return null;
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
        {incidents.map((each) => (
          <li key={each.id}>
            <Link
              to="/alerts"
              search={{ id: each.id } as never}
              className="flex items-start gap-3 px-4 py-2.5 hover:bg-sunken"
            >
              <BellRing
                aria-hidden
                className={`mt-0.5 size-4 shrink-0 ${GRAVE.has(each.severity) ? "text-bad" : "text-warn"}`}
              />
              <span className="min-w-0 flex-1 break-words">
                <span className="font-medium">{each.title}</span>{" "}
                <span className="text-ink-2">{`Alert of rule ${each.rule}.`}</span>
              </span>
              <span className="text-xs text-ink-2">
                <Time at={each.openedAt} ago />
              </span>
            </Link>
          </li>
        ))}
        {data?.next && (
          <li>
            <Link to="/alerts" className="link block px-4 py-2.5">
              All open incidents
            </Link>
          </li>
        )}
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

const GRAVE = new Set<Incident["severity"]>(["error", "critical"]);

const SAME: Record<string, Concern["kind"][]> = {
  "queue.unserved": ["unserved"],
  "queue.paused": ["paused"],
  "breaker.open": ["held"],
  "worker.lost": ["silent", "lost"],
  "schedule.late": ["overdue"],
};

/** Incidents that say something else than what is told already. */
export function newIn(incidents: Incident[], concerns: Concern[]): Incident[] {
  const isTold = ({ kind, queue, job }: Incident) =>
    concerns.some(
      (each) =>
        SAME[kind]?.includes(each.kind) &&
        (!each.subject || each.subject === (queue ?? job ?? each.subject)),
    );
  return incidents.filter((each) => !isTold(each));
}
