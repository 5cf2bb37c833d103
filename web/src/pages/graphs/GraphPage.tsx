import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { may } from "@/api/actions";
import { graph as graphQuery, job as jobQuery } from "@/api/queries";
import type { GraphDefinition, JobDetail } from "@/api/types";
import { DefinitionPanel } from "@/graph/DefinitionPanel";
import { FlowGraph } from "@/graph/FlowGraph";
import { FullScreen } from "@/graph/FullScreen";
import { GridView } from "@/graph/GridView";
import { percent, plural } from "@/lib/format";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { buttonClass } from "@/ui/Button";
import { Card, Load, PageHead } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { Tabs, tabOf } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { countEnded } from "../jobs/columns";
import { Trigger } from "../jobs/Trigger";

const TABS = [
  { key: "grid", title: "Runs and nodes" },
  { key: "graph", title: "Definition" },
];

export function GraphPage() {
  const { name = "" } = useParams({ strict: false });
  const [search] = useFilters();
  const query = useQuery(graphQuery(name));
  const { data: job } = useQuery(jobQuery(name));
  const tab = tabOf(TABS, search.tab);
  return (
    <>
      <PageHead
        name={name}
        title={
          <>
            {name}
            {job?.paused && <Tag>Paused</Tag>}
          </>
        }
        about={<About shape={query.data} job={job} />}
        actions={
          <>
            <Link to="/jobs/$id" params={{ id: name }} className={buttonClass()}>
              Job page
            </Link>
            {job && may(job, "trigger") && <Trigger job={job} />}
          </>
        }
      />
      <Tabs label="Views of this graph" tabs={TABS} current={tab}>
        {tab === "grid" ? (
          <GridView name={name} />
        ) : (
          <Card flush>
            <Load query={query}>
              {(shape) => (
                <FullScreen>
                  {(button, isFull) => <Definition shape={shape} button={button} isFull={isFull} />}
                </FullScreen>
              )}
            </Load>
          </Card>
        )}
      </Tabs>
    </>
  );
}

interface DefinitionProps {
  shape: GraphDefinition;
  button: ReactNode;
  isFull: boolean;
}

/** A node's facts open below the picture, which stays where it is. */
function Definition({ shape, button, isFull }: DefinitionProps) {
  const [search, setSearch] = useFilters();
  const node = shape.nodes.find((each) => each.name === search.node);
  const choose = (name: string) => setSearch({ node: name });
  return (
    <>
      <FlowGraph
        shape={shape}
        chosen={search.node}
        onChoose={choose}
        lead={<span className="px-2 py-1">{button}</span>}
        isFull={isFull}
      />
      {node && (
        <DefinitionPanel
          key={node.name}
          shape={shape}
          node={node}
          onChoose={choose}
          onClose={() => setSearch({ node: undefined })}
        />
      )}
    </>
  );
}

function rateOf({ successRate, last }: JobDetail): string | null {
  if (successRate === null) return null;
  const ended = countEnded(last);
  if (ended === 1) return `its only run ${successRate ? "succeeded" : "failed"}`;
  return `${percent(successRate)} of the last ${ended} succeeded`;
}

interface AboutProps {
  shape: GraphDefinition | undefined;
  job: JobDetail | undefined;
}

/** What it is, how it does and when it runs next, in a line. */
function About({ shape, job }: AboutProps) {
  const facts = [
    shape && plural(shape.nodes.length, "node"),
    shape?.version && `v${shape.version}`,
    job && rateOf(job),
    job?.p50Ms != null && `typically ${duration(job.p50Ms).replace(" ", "\u00a0")}`,
  ];
  return (
    <>
      {facts.filter(Boolean).join(" · ") || "\u00a0"}
      {job?.nextFireAt && (
        <>
          {" · next "}
          <Time at={job.nextFireAt} planned />
        </>
      )}
      {shape?.description && <p className="mt-1 break-words">{shape.description}</p>}
    </>
  );
}
