import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus, Wrench } from "lucide-react";
import { may } from "@/api/actions";
import { jobs, session } from "@/api/queries";
import type { Job } from "@/api/types";
import { count } from "@/lib/format";
import type { Search } from "@/lib/search";
import { duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { useAllPages, useList } from "@/lib/useList";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { ListTable } from "@/ui/ListTable";
import { Name } from "@/ui/Name";
import { Empty, PageHead } from "@/ui/Panels";
import { RunStrip } from "@/ui/RunStrip";
import { SearchField } from "@/ui/SearchField";
import { Tag } from "@/ui/State";
import type { Column } from "@/ui/Table";
import { Tabs, tabOf } from "@/ui/Tabs";
import { labelTexts } from "../runs/labels";
import { isFailing, LAST_RUNS, NEXT_FIRING, queuedOf, SUCCESS_RATE } from "./columns";
import { JobForm } from "./JobForm";
import { Templates } from "./Templates";

const COLUMNS: Column<Job>[] = [
  {
    key: "name",
    title: "Job",
    main: true,
    width: "minmax(0,1.5fr)",
    cell: (job) => (
      <>
        <span className="flex items-center gap-2">
          <Name text={job.name} className="font-medium" />
          {job.paused && <Tag>Paused</Tag>}
          {job.breaker && job.breaker !== "closed" && (
            <Tag mood="bad">{`Breaker ${job.breaker.replace("_", " ")}`}</Tag>
          )}
        </span>
        <span className="block truncate text-xs text-ink-3 max-md:hidden">{`${job.kind} · ${job.queue} · v${job.version}`}</span>
        <span className="block md:hidden">
          <RunStrip runs={job.last} label={job.name} />
        </span>
      </>
    ),
  },
  LAST_RUNS,
  SUCCESS_RATE,
  {
    key: "p95",
    title: "p95",
    width: "5rem",
    right: true,
    from: "md",
    cell: (job) => duration(job.p95Ms),
  },
  {
    key: "running",
    title: "Running",
    width: "4rem",
    right: true,
    from: "lg",
    cell: (job) => <Amount text={count(job.running)} isNone={!job.running} />,
  },
  {
    key: "queued",
    title: "Queued",
    width: "4.5rem",
    right: true,
    from: "lg",
    cell: (job) => <Amount text={queuedOf(job)} isNone={!job.queued} />,
  },
  NEXT_FIRING,
  {
    key: "act",
    title: "",
    width: "var(--tap)",
    from: "sm",
    cell: (job) => <Actions compact subject="job" item={job} id={job.jobId} name={job.name} />,
  },
];

/** A figure that steps back where there is nothing to see. */
function Amount({ text, isNone }: { text: string; isNone: boolean }) {
  return <span className={isNone ? "text-ink-3" : "font-medium"}>{text}</span>;
}

/** What people look for among many: those that go wrong, or do not go at all. */
const STATES: Record<string, [string, (job: Job) => boolean]> = {
  failing: ["Failing", isFailing],
  running: ["Running", (job) => job.running > 0],
  waiting: ["Waiting", (job) => job.queued > 0],
  paused: ["Paused", (job) => job.paused],
  scheduled: ["With a schedule", (job) => job.schedules > 0],
};

/** The list of jobs is short enough to be here as a whole; what fits is found without asking. */
export function isWanted(job: Job, { q = "", kind, state, label }: Search): boolean {
  const words = q.toLowerCase().split(/\s+/);
  const text = `${job.name} ${job.queue}`.toLowerCase();
  const isInState = STATES[state ?? ""]?.[1] ?? (() => true);
  const has = new Set(labelTexts(job.labels));
  return (
    (!kind || job.kind === kind) &&
    (!label || has.has(label)) &&
    isInState(job) &&
    words.every((word) => text.includes(word))
  );
}

const TABS = [
  { key: "jobs", title: "Jobs" },
  { key: "templates", title: "Templates" },
];

export function Jobs() {
  const [search, setSearch] = useFilters();
  const { data: who } = useQuery(session);
  const mayAdd = may(who, "create-job");
  const tab = tabOf(TABS, search.tab);
  return (
    <>
      <PageHead
        title="Jobs"
        actions={
          mayAdd && (
            <Button
              tone="primary"
              icon={<Plus className="size-3.5" />}
              onClick={() => setSearch({ new: "job" })}
            >
              New job
            </Button>
          )
        }
      />
      <Tabs label="Jobs and templates" tabs={TABS} current={tab}>
        {tab === "templates" ? <Templates /> : <List />}
      </Tabs>
      {search.new && mayAdd && <JobForm onClose={() => setSearch({ new: undefined })} />}
    </>
  );
}

function List() {
  const [search, setSearch] = useFilters();
  const navigate = useNavigate();
  const list = useList<Job>(jobs());
  const rows = list.rows.filter((job) => isWanted(job, search));
  const isFiltered = Boolean(search.q || search.kind || search.state || search.label);
  const labels = [...new Set(list.rows.flatMap((job) => labelTexts(job.labels)))].sort();
  useAllPages(list, isFiltered);
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        <SearchField
          label="Search jobs"
          className="min-w-48 flex-1 max-sm:basis-full"
          value={search.q}
          onChange={(q) => setSearch({ q })}
        />
        <select
          aria-label="State"
          className="field max-sm:flex-1"
          value={search.state ?? ""}
          onChange={(event) => setSearch({ state: event.target.value || undefined })}
        >
          <option value="">All states</option>
          {Object.entries(STATES).map(([key, [title]]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
        <select
          aria-label="Kind"
          className="field max-sm:flex-1"
          value={search.kind ?? ""}
          onChange={(event) => setSearch({ kind: event.target.value || undefined })}
        >
          <option value="">All kinds</option>
          {["python", "command", "http", "graph"].map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
        {(labels.length > 0 || search.label) && (
          <select
            aria-label="Label"
            className="field max-sm:flex-1"
            value={search.label ?? ""}
            onChange={(event) => setSearch({ label: event.target.value || undefined })}
          >
            <option value="">All labels</option>
            {labels.map((label) => (
              <option key={label}>{label}</option>
            ))}
          </select>
        )}
      </div>
      <ListTable
        label="Jobs"
        list={list}
        rows={rows}
        columns={COLUMNS}
        rowHeight={52}
        idOf={(job) => job.jobId}
        href={(job) => `/jobs/${encodeURIComponent(job.jobId)}`}
        onOpen={(job) => void navigate({ to: "/jobs/$id", params: { id: job.jobId } })}
        empty={
          isFiltered ? (
            <Empty icon={Wrench} title="No job fits">
              Try fewer letters, another state, kind or label.
            </Empty>
          ) : (
            <Empty icon={Wrench} title="No jobs yet">
              Decorate a function with <code className="font-mono">@app.job</code> and start a
              worker, apply a job file with <code className="font-mono">rota apply jobs.yaml</code>,
              or make one here that runs a command or sends a request.
            </Empty>
          )
        }
      />
    </>
  );
}
