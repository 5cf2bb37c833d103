import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Workflow } from "lucide-react";
import { graphs } from "@/api/queries";
import type { GraphSummary } from "@/api/types";
import { count } from "@/lib/format";
import { Empty, Load, PageHead } from "@/ui/Panels";
import { type Column, Table } from "@/ui/Table";

const COLUMNS: Column<GraphSummary>[] = [
  {
    key: "name",
    title: "Graph",
    width: "minmax(0,1fr)",
    cell: (graph) => <span className="font-medium">{graph.name}</span>,
  },
  {
    key: "nodes",
    title: "Nodes",
    width: "5rem",
    right: true,
    cell: (graph) => count(graph.nodes),
  },
  {
    key: "version",
    title: "Version",
    width: "5rem",
    right: true,
    cell: (graph) => (graph.version ? `v${graph.version}` : "–"),
  },
];

export function Graphs() {
  const navigate = useNavigate();
  const query = useQuery(graphs());
  return (
    <>
      <PageHead title="Graphs" />
      <Load query={query}>
        {({ items }) => (
          <Table
            label="Graphs"
            rows={items}
            columns={COLUMNS}
            idOf={(graph) => graph.name}
            onOpen={(graph) => void navigate({ to: "/graphs/$name", params: { name: graph.name } })}
            empty={
              <Empty icon={Workflow} title="No graphs yet">
                Define one with <code className="font-mono">@app.graph</code> or in a job file; its
                runs are drawn here.
              </Empty>
            }
          />
        )}
      </Load>
    </>
  );
}
