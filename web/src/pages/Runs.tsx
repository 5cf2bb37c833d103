import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Activity, Ban, RotateCcw, X } from "lucide-react";
import { useMemo, useState } from "react";
import { post } from "@/api/client";
import { jobs, runs } from "@/api/queries";
import type { BulkAnswer, Job, Run } from "@/api/types";
import { plural, shortId } from "@/lib/format";
import type { Search } from "@/lib/search";
import { sinceOf } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { Empty, ErrorPanel, PageHead, Progress } from "@/ui/Panels";
import { SearchField } from "@/ui/SearchField";
import { lookOf, STATES, StateBadge } from "@/ui/State";
import { type Column, Table } from "@/ui/Table";
import { Duration, Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";

export const RUN_COLUMNS: Column<Run>[] = [
  {
    key: "state",
    title: "State",
    width: "7.5rem",
    from: "sm",
    cell: (run) => <StateBadge state={run.state} />,
  },
  {
    key: "job",
    title: "Job",
    width: "minmax(0,1.2fr)",
    cell: (run) => (
      <>
        <span className="block truncate font-medium">{run.job}</span>
        <span className="block truncate font-mono text-2xs text-ink-3">
          <span className="mr-1.5 font-sans sm:hidden">
            <StateBadge state={run.state} small />
          </span>
          {shortId(run.executionId)}
          {run.node && ` · ${run.node}`}
          {run.item != null && `[${run.item}]`}
        </span>
      </>
    ),
  },
  {
    key: "note",
    title: "Progress or error",
    width: "minmax(0,1.6fr)",
    from: "md",
    cell: (run) => <Note run={run} />,
  },
  {
    key: "queue",
    title: "Queue",
    width: "7rem",
    from: "lg",
    cell: (run) => <span className="text-ink-2">{run.queue}</span>,
  },
  {
    key: "attempt",
    title: "Attempt",
    width: "4rem",
    from: "xl",
    right: true,
    cell: (run) => run.attempt || "–",
  },
  {
    key: "created",
    title: "Created",
    width: "9rem",
    from: "sm",
    right: true,
    cell: (run) => <Time at={run.createdAt} />,
  },
  {
    key: "took",
    title: "Took",
    width: "4.5rem",
    right: true,
    cell: (run) => <Duration from={run.startedAt} until={run.finishedAt} ms={run.durationMs} />,
  },
];

function Note({ run }: { run: Run }) {
  if (run.error)
    return (
      <span className="truncate font-mono text-xs text-bad">{`${run.error.type}: ${run.error.message}`}</span>
    );
  if (run.progress == null || run.finishedAt)
    return <span className="text-ink-2">{run.progressNote}</span>;
  return (
    <span className="flex items-center gap-2">
      <span className="w-24 shrink-0">
        <Progress share={run.progress / 100} label={`Progress of ${run.job}`} />
      </span>
      <span className="truncate text-xs text-ink-2">{run.progressNote}</span>
    </span>
  );
}

const SINCE: [string, string][] = [
  ["", "Any time"],
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
];

export function Runs() {
  const [search, setSearch] = useFilters();
  const navigate = useNavigate();
  const [selected, setSelected] = useState<Set<string>>(new Set());
  // "The last hour" moves with the clock; within a minute it is the same question.
  const minute = Math.floor(Date.now() / 60_000);
  const filter = useMemo(
    () => ({ ...search, since: sinceOf(search.since, minute * 60_000) }),
    [search, minute],
  );
  const list = useList<Run>(runs(filter));
  const isFiltered = Object.values(search).some(Boolean);
  return (
    <>
      <PageHead title="Runs" />
      <Filters search={search} setSearch={setSearch} />
      {list.error ? (
        <ErrorPanel error={list.error} retry={() => void list.refetch()} />
      ) : (
        <>
          <BulkBar
            rows={list.rows}
            selected={selected}
            filter={filter}
            isFiltered={isFiltered}
            hasMore={list.more}
            clear={() => setSelected(new Set())}
          />
          <Table
            label="Runs"
            rows={list.rows}
            columns={RUN_COLUMNS}
            idOf={(run) => run.executionId}
            onOpen={(run) => void navigate({ to: "/runs/$id", params: { id: run.executionId } })}
            selected={selected}
            onSelect={setSelected}
            onEnd={list.onEnd}
            loading={list.loading}
            empty={<NoRuns isFiltered={isFiltered} />}
          />
        </>
      )}
    </>
  );
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty icon={Activity} title="No run fits these filters">
        Remove some of them, or look further back in time.
      </Empty>
    );
  }
  return (
    <Empty icon={Activity} title="Nothing has run yet">
      Submit a run: <code className="font-mono">rota submit JOB</code>, a schedule, or the trigger
      button on a job's page.
    </Empty>
  );
}

const WORDS = {
  jobId: "job",
  queue: "queue",
  schedule: "schedule",
  parentId: "part of",
  until: "until",
};

interface FilterProps {
  search: Search;
  setSearch: (patch: Search) => void;
}

function Filters({ search, setSearch }: FilterProps) {
  const known = useList<Job>(jobs());
  const extra = (["jobId", "queue", "schedule", "parentId", "until"] as const).filter(
    (name) => search[name],
  );
  return (
    <div className="mb-3 space-y-2">
      <div className="flex flex-wrap gap-2">
        <SearchField
          label="Job"
          className="min-w-48 flex-1"
          value={search.jobId}
          onChange={(jobId) => setSearch({ jobId })}
          known={known.rows.map((job) => job.jobId)}
        />
        <SearchField
          label="Queue"
          className="w-48"
          value={search.queue}
          onChange={(queue) => setSearch({ queue })}
        />
        <select
          aria-label="Since"
          className="field"
          value={search.since ?? ""}
          onChange={(event) => setSearch({ since: event.target.value || undefined })}
        >
          {SINCE.map(([key, title]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <div className="scroll-thin flex flex-wrap items-center gap-1.5 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:pb-1">
        {STATES.map((state) => (
          <button
            key={state}
            type="button"
            aria-pressed={search.status === state}
            onClick={() => setSearch({ status: search.status === state ? undefined : state })}
            className={`h-7 shrink-0 rounded-full border px-2.5 text-xs font-medium ${search.status === state ? "border-accent bg-accent-soft text-accent" : "border-line bg-surface text-ink-2 hover:border-line-strong"}`}
          >
            {lookOf(state).word}
          </button>
        ))}
        {extra.map((name) => (
          <button
            key={name}
            type="button"
            onClick={() => setSearch({ [name]: undefined })}
            className="flex h-7 max-w-64 items-center gap-1 rounded-full bg-accent-soft px-2.5 text-xs text-accent"
            title={`Remove the filter ${WORDS[name]}`}
          >
            <span className="truncate">{`${WORDS[name]}: ${search[name]}`}</span>
            <X aria-hidden className="size-3 shrink-0" />
          </button>
        ))}
      </div>
    </div>
  );
}

interface BulkProps {
  rows: Run[];
  selected: Set<string>;
  filter: Search;
  isFiltered: boolean;
  hasMore: boolean;
  clear: () => void;
}

/** What may be done with many: those chosen, or all that fit the filters, counted by the server. */
function BulkBar({ rows, selected, filter, isFiltered, hasMore, clear }: BulkProps) {
  const cache = useQueryClient();
  const [asked, setAsked] = useState<{
    verb: "cancel" | "rerun";
    matched: number;
    body: object;
  } | null>(null);
  const chosen = rows.filter((run) => selected.has(run.executionId));
  const isAll =
    isFiltered && !filter.parentId && hasMore && rows.length > 0 && chosen.length === rows.length;
  if (selected.size === 0) return null;
  const ask = async (verb: "cancel" | "rerun", body: object) => {
    try {
      const { matched } = await post<BulkAnswer>(`/runs/bulk/${verb}`, { ...body, dryRun: true });
      setAsked({ verb, matched, body });
    } catch (error) {
      toast.failed(error);
    }
  };
  const perform = async () => {
    if (!asked) return;
    const { done } = await post<BulkAnswer>(`/runs/bulk/${asked.verb}`, asked.body);
    toast.done(
      `${plural(done, "run")} ${asked.verb === "cancel" ? "cancelled" : "submitted again"}.`,
    );
    clear();
    await cache.invalidateQueries({ queryKey: ["runs"] });
  };
  const able = (verb: string) => chosen.filter((run) => run.verbs?.includes(verb));
  const about = (verb: string) =>
    isAll ? { filter } : { ids: able(verb).map((run) => run.executionId) };
  const word = asked?.verb === "cancel" ? "Cancel" : "Rerun";
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft px-3 py-2">
      <span className="num flex-1 font-medium">
        {isAll ? "All runs that fit the filters" : `${plural(selected.size, "run")} selected`}
      </span>
      {able("cancel").length > 0 && (
        <Button
          icon={<Ban className="size-3.5" />}
          onClick={() => void ask("cancel", about("cancel"))}
        >
          Cancel
        </Button>
      )}
      {able("rerun").length > 0 && (
        <Button
          icon={<RotateCcw className="size-3.5" />}
          onClick={() => void ask("rerun", about("rerun"))}
        >
          Rerun
        </Button>
      )}
      <Button tone="quiet" onClick={clear}>
        Clear
      </Button>
      <FormDialog
        open={asked !== null}
        title={`${word} ${plural(asked?.matched ?? 0, "run")}?`}
        submit={`${word} ${plural(asked?.matched ?? 0, "run")}`}
        danger={asked?.verb === "cancel"}
        disabled={!asked?.matched}
        onClose={() => setAsked(null)}
        onSubmit={perform}
      >
        <p>
          {asked?.matched
            ? `The server found ${plural(asked.matched, "run")} to which this applies now.`
            : "None of the chosen runs is in a state that allows this."}
        </p>
      </FormDialog>
    </div>
  );
}
