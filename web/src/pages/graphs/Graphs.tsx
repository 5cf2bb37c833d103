import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Workflow } from "lucide-react";
import { graphs } from "@/api/queries";
import type { GraphSummary } from "@/api/types";
import { count, plural } from "@/lib/format";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Name } from "@/ui/Name";
import { Empty, Load, PageHead } from "@/ui/Panels";
import { SearchField } from "@/ui/SearchField";
import { StateBadge, Tag } from "@/ui/State";
import { type Column, Table } from "@/ui/Table";
import { LAST_RUNS, NEXT_FIRING, SUCCESS_RATE } from "../jobs/columns";

const COLUMNS: Column<GraphSummary>[] = [
  {
    key: "name",
    title: "Graph",
    main: true,
    width: "minmax(0,1.5fr)",
    cell: (graph) => (
      <>
        <span className="flex items-center gap-2">
          <Name text={graph.name} className="font-medium" />
          {graph.paused && <Tag>Paused</Tag>}
        </span>
        <span className="block truncate text-xs text-ink-3">
          <span className="mr-1.5 sm:hidden">
            <Last graph={graph} small />
          </span>
          {[plural(graph.nodes, "node"), `v${graph.version}`, graph.description]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </>
    ),
  },
  {
    key: "outcome",
    title: "Last run",
    width: "7.5rem",
    from: "sm",
    cell: (graph) => <Last graph={graph} />,
  },
  LAST_RUNS,
  SUCCESS_RATE,
  {
    key: "typical",
    title: "Typically",
    width: "5rem",
    right: true,
    from: "md",
    cell: (graph) => (
      <span title={`19 of 20 took no longer than ${duration(graph.p95Ms)}`}>
        {duration(graph.p50Ms)}
      </span>
    ),
  },
  {
    key: "now",
    title: "Running",
    width: "5rem",
    right: true,
    from: "lg",
    cell: (graph) => count(graph.running),
  },
  NEXT_FIRING,
  {
    key: "act",
    title: "",
    width: "var(--tap)",
    from: "sm",
    cell: (graph) => (
      <Actions compact subject="job" item={graph} id={graph.name} name={graph.name} />
    ),
  },
];

/** The newest run that goes on or is paused, else the last that ended. */
export function Last({ graph, small }: { graph: GraphSummary; small?: boolean }) {
  if (graph.running > 0) return <StateBadge state="running" small={small ?? false} />;
  if (graph.pausedRuns > 0) return <StateBadge state="paused" small={small ?? false} />;
  const [last] = graph.last;
  if (!last) return <span className="text-ink-3">Never ran</span>;
  return <StateBadge state={last.state} small={small ?? false} />;
}

export function Graphs() {
  const navigate = useNavigate();
  const query = useQuery(graphs());
  const [search, setSearch] = useFilters();
  const wanted = (search.q ?? "").toLowerCase();
  return (
    <>
      <PageHead title="Graphs" />
      <div className="mb-3 flex">
        <SearchField
          label="Search graphs"
          className="min-w-48 flex-1"
          value={search.q}
          onChange={(q) => setSearch({ q })}
        />
      </div>
      <Load query={query}>
        {({ items }) => (
          <Table
            label="Graphs"
            rows={items.filter((graph) => graph.name.toLowerCase().includes(wanted))}
            columns={COLUMNS}
            rowHeight={52}
            idOf={(graph) => graph.name}
            href={(graph) => `/graphs/${encodeURIComponent(graph.name)}`}
            onOpen={(graph) => void navigate({ to: "/graphs/$name", params: { name: graph.name } })}
            empty={
              wanted ? (
                <Empty
                  icon={Workflow}
                  title="No graph has this in its name"
                  action={<Button onClick={() => setSearch({ q: undefined })}>Show all</Button>}
                />
              ) : (
                <Empty icon={Workflow} title="No graphs yet">
                  A graph is jobs that wait for one another. Define one with{" "}
                  <code className="font-mono">@app.graph</code> or in a job file; its runs are drawn
                  here.
                </Empty>
              )
            }
          />
        )}
      </Load>
    </>
  );
}
