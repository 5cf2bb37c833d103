import { Link } from "@tanstack/react-router";
import { BellRing, CircleCheck, SearchX } from "lucide-react";
import { incidents } from "@/api/queries";
import type { Incident } from "@/api/types";
import { count, shortId } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { ListTable } from "@/ui/ListTable";
import { Empty } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { OneIncident } from "./OneIncident";
import { Severity } from "./Severity";
import { wordOf } from "./words";

const COLUMNS: Column<Incident>[] = [
  {
    key: "severity",
    title: "Severity",
    width: "6.5rem",
    cell: (each) => <Severity level={each.severity} />,
  },
  {
    key: "title",
    title: "What",
    main: true,
    width: "minmax(0,2.2fr)",
    cell: (each) => (
      <>
        <span className="block truncate font-medium" title={each.title}>
          {each.title}
        </span>
        <span className="block truncate text-xs text-ink-2 max-md:hidden">
          {`${wordOf(each.kind)} · ${aboutOf(each)}`}
        </span>
        <span className="block truncate text-xs text-ink-2 md:hidden">
          {each.state === "open" ? "since " : "closed "}
          <Time at={each.state === "open" ? each.openedAt : each.closedAt} ago />
        </span>
      </>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "6rem",
    from: "sm",
    cell: (each) => <IncidentTag incident={each} />,
  },
  {
    key: "run",
    title: "Run",
    width: "6.5rem",
    from: "lg",
    cell: (each) => <RunLink id={each.runId} />,
  },
  {
    key: "since",
    title: "Since",
    width: "8.5rem",
    right: true,
    from: "md",
    cell: (each) => <Time at={each.openedAt} ago />,
  },
  {
    key: "last",
    title: "Last seen",
    width: "8.5rem",
    right: true,
    from: "lg",
    cell: (each) => <Time at={each.lastAt} ago />,
  },
  {
    key: "told",
    title: "Messages",
    width: "5.5rem",
    right: true,
    from: "md",
    cell: (each) => count(each.messages),
  },
];

/** The job or the queue; some incidents are about neither. */
export function aboutOf({ job, queue, subject }: Incident): string {
  return job ?? queue ?? subject;
}

export function IncidentTag({ incident }: { incident: Incident }) {
  return incident.state === "open" ? <Tag mood="bad">Open</Tag> : <Tag mood="ok">Closed</Tag>;
}

/** The newest run that shows it. */
export function RunLink({ id }: { id: string | null }) {
  if (!id) return <span className="text-ink-3">–</span>;
  return (
    <Link to="/runs/$id" params={{ id }} className="link font-mono text-xs">
      {shortId(id)}
    </Link>
  );
}

const STATES = [
  ["", "Open"],
  ["closed", "Closed"],
  ["all", "Open and closed"],
] as const;

export function Incidents({ isWhole }: { isWhole: boolean }) {
  const [search, setSearch] = useFilters();
  const { rule, job } = search;
  const status = STATES.find(([key]) => key === search.status)?.[0] ?? "";
  const state = status === "all" ? null : status || "open";
  const list = useList<Incident>(incidents({ status: state, rule, job }));
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <select
          aria-label="State"
          className="field max-sm:w-full"
          value={status}
          onChange={(event) => setSearch({ status: event.target.value || undefined })}
        >
          {STATES.map(([key, title]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
        {(["rule", "job"] as const).map(
          (name) =>
            search[name] && (
              <Button key={name} onClick={() => setSearch({ [name]: undefined })}>
                {`Only ${name} ${search[name]} ×`}
              </Button>
            ),
        )}
      </div>
      <ListTable
        label="Incidents"
        list={list}
        columns={COLUMNS}
        rowHeight={52}
        narrowHeight={60}
        idOf={(each) => each.id}
        href={(each) => `/alerts?id=${each.id}`}
        onOpen={(each) => setSearch({ id: each.id })}
        empty={<NoIncidents isFiltered={Boolean(rule || job)} isOpen={state === "open"} />}
      />
      {search.id && (
        <OneIncident
          id={search.id}
          isWhole={isWhole}
          onClose={() => setSearch({ id: undefined })}
        />
      )}
    </>
  );
}

function NoIncidents({ isFiltered, isOpen }: { isFiltered: boolean; isOpen: boolean }) {
  if (isFiltered) return <Empty icon={SearchX} title="No incident fits" />;
  if (!isOpen) {
    return (
      <Empty icon={BellRing} title="No incidents yet">
        What alert rules find appears here, from its beginning to its end.
      </Empty>
    );
  }
  return (
    <Empty icon={CircleCheck} title="Nothing is wrong">
      No alert rule has found anything that goes on.
    </Empty>
  );
}
