import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { graph as graphQuery } from "@/api/queries";
import { FlowGraph } from "@/graph/FlowGraph";
import { GridView } from "@/graph/GridView";
import { plural } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
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
  return (
    <>
      <PageHead
        title={name}
        about={
          query.data &&
          `${plural(query.data.nodes.length, "node")}${query.data.version ? ` · v${query.data.version}` : ""}`
        }
        actions={
          <Link to="/jobs/$id" params={{ id: name }} className="self-center link">
            Job
          </Link>
        }
      />
      <Tabs label="Views of this graph" tabs={TABS} current={tab} />
      {tab === "grid" ? (
        <GridView name={name} />
      ) : (
        <Card flush>
          <Load query={query}>{(shape) => <FlowGraph shape={shape} />}</Load>
        </Card>
      )}
    </>
  );
}
