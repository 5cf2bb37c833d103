import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { job as jobQuery, runs } from "@/api/queries";
import type { JobDetail, Run } from "@/api/types";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Actions } from "@/ui/Actions";
import { Button, buttonClass } from "@/ui/Button";
import { JsonView } from "@/ui/Json";
import { ListTable } from "@/ui/ListTable";
import { Card, Empty, Load, PageHead } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { Tabs, tabOf } from "@/ui/Tabs";
import { RUN_COLUMNS } from "../runs/columns";
import { Figures } from "./Figures";
import { JobForm } from "./JobForm";
import { JobSchedules } from "./JobSchedules";
import { originOf } from "./origin";
import { Trigger } from "./Trigger";
import { Versions } from "./Versions";

const TABS = [
  { key: "overview", title: "Overview" },
  { key: "runs", title: "Runs" },
  { key: "schedules", title: "Schedules" },
  { key: "versions", title: "Versions" },
  { key: "definition", title: "Definition" },
];

export function JobPage() {
  const { id = "" } = useParams({ strict: false });
  const query = useQuery(jobQuery(id));
  return (
    <Load query={query} lines={10} page>
      {(job) => <Body key={job.jobId} job={job} />}
    </Load>
  );
}

function Body({ job }: { job: JobDetail }) {
  const [search] = useFilters();
  const tab = tabOf(TABS, search.tab);
  return (
    <>
      <PageHead
        title={<Title job={job} />}
        name={job.name}
        about={<About job={job} />}
        actions={<Verbs job={job} />}
      />
      <Tabs label="Parts of this job" tabs={TABS} current={tab}>
        {tab === "overview" && <Figures job={job} />}
        {tab === "runs" && <JobRuns job={job} />}
        {tab === "schedules" && <JobSchedules job={job} />}
        {tab === "versions" && <Versions job={job} />}
        {tab === "definition" && (
          <Card>
            <JsonView value={said(job.definition)} label="Definition" />
          </Card>
        )}
      </Tabs>
    </>
  );
}

/** Without the fields of other kinds of jobs. */
function said(definition: JobDetail["definition"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== null));
}

function Title({ job }: { job: JobDetail }) {
  return (
    <>
      {job.name}
      {job.paused && <Tag>Paused</Tag>}
      {job.breaker && job.breaker !== "closed" && (
        <Tag mood="bad">{`Breaker ${job.breaker.replace("_", " ")}`}</Tag>
      )}
    </>
  );
}

function About({ job }: { job: JobDetail }) {
  return (
    <>
      {`${job.kind} · queue ${job.queue} · v${job.version} · defined ${originOf(job.origin)}`}
      {job.note && <p className="mt-1 break-words">{job.note}</p>}
    </>
  );
}

function Verbs({ job }: { job: JobDetail }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {job.kind === "graph" && (
        <Link to="/graphs/$name" params={{ name: job.name }} className={buttonClass()}>
          Graph
        </Link>
      )}
      {may(job, "edit") && (
        <Button icon={<Pencil className="size-3.5" />} onClick={() => setOpen(true)}>
          Edit
        </Button>
      )}
      <Actions
        subject="job"
        item={job}
        id={job.jobId}
        name={job.name}
        onGone={() => navigate({ to: "/jobs" })}
      />
      {may(job, "trigger") && <Trigger job={job} />}
      {isOpen && <JobForm job={job} onClose={() => setOpen(false)} />}
    </>
  );
}

function JobRuns({ job }: { job: JobDetail }) {
  const navigate = useNavigate();
  const list = useList<Run>(runs({ jobId: job.jobId }));
  return (
    <ListTable
      label={`Runs of ${job.name}`}
      list={list}
      columns={RUN_COLUMNS}
      idOf={(run) => run.executionId}
      href={(run) => `/runs/${run.executionId}`}
      onOpen={(run) => void navigate({ to: "/runs/$id", params: { id: run.executionId } })}
      empty={<Empty title="This job has not run yet">Trigger it, or give it a schedule.</Empty>}
    />
  );
}
