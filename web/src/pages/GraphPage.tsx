import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { graph as graphQuery } from "@/api/queries";
import type { GraphDefinition } from "@/api/types";
import { FlowGraph } from "@/graph/FlowGraph";
import { GridView } from "@/graph/GridView";
import { plural } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { buttonClass } from "@/ui/Button";
import { Card, Load, PageHead } from "@/ui/Panels";
import { Tabs } from "@/ui/Tabs";

const TABS = [
  { key: "grid", title: "Runs and nodes" },
  { key: "graph", title: "Definition" },
];

export function GraphPage() {
  const { name = "" } = useParams({ strict: false });
  const [search] = useFilters();
  const query = useQuery(graphQuery(name));
  const tab = search.tab ?? "grid";
  const navigate = useNavigate();
  const openJob = (shape: GraphDefinition, node: string) => {
    const id = shape.nodes.find((each) => each.name === node)?.job;
    if (id) void navigate({ to: "/jobs/$id", params: { id } });
  };
  return (
    <>
      <PageHead
        title={name}
        about={
          query.data &&
          `${plural(query.data.nodes.length, "node")}${query.data.version ? ` · v${query.data.version}` : ""}`
        }
        actions={
          <Link to="/jobs/$id" params={{ id: name }} className={buttonClass()}>
            Job page
          </Link>
        }
      />
      <Tabs label="Views of this graph" tabs={TABS} current={tab} />
      {tab === "grid" ? (
        <GridView name={name} />
      ) : (
        <Card flush>
          <Load query={query}>
            {(shape) => <FlowGraph shape={shape} onChoose={(node) => openJob(shape, node)} />}
          </Load>
        </Card>
      )}
    </>
  );
}
