import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask, etagOf } from "@/api/client";
import { versionDiff, versions } from "@/api/queries";
import type { JobDetail, JobVersion } from "@/api/types";
import { pretty } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { Card, Empty, Load } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";
import { Weights } from "./Weights";

export function Versions({ job }: { job: JobDetail }) {
  const query = useQuery(versions(job.jobId));
  return <Load query={query}>{({ items }) => <List job={job} items={items} />}</Load>;
}

function List({ job, items }: { job: JobDetail; items: JobVersion[] }) {
  const [search, setSearch] = useFilters();
  const sorted = [...items].sort((a, b) => b.version - a.version);
  const b = Number(search.b ?? sorted[0]?.version ?? 0);
  const a = Number(search.a ?? sorted[1]?.version ?? 0);
  return (
    <div className="grid gap-4 xl:grid-cols-[22rem_minmax(0,1fr)]">
      <Card title="Versions" flush aside={<Weights job={job} versions={sorted} />}>
        <ul className="divide-y divide-line">
          {sorted.map((each) => (
            <li key={each.version} className="flex items-center gap-3 px-4 py-2.5">
              <div className="min-w-0 flex-1">
                <p className="flex items-center gap-2 font-medium">
                  {`v${each.version}`}
                  {each.version === job.version && <Tag mood="ok">Current</Tag>}
                  {each.weight != null && (
                    <span className="num text-xs text-ink-2">{`weight ${each.weight}`}</span>
                  )}
                </p>
                <p className="truncate text-xs text-ink-2">
                  <Time at={each.createdAt} />
                  {each.origin && `, ${each.origin}`}
                </p>
              </div>
              <Rollback job={job} version={each.version} />
            </li>
          ))}
        </ul>
      </Card>
      <Card
        title="Difference"
        flush
        aside={
          sorted.length > 1 && (
            <span className="flex items-center gap-2">
              {(["a", "b"] as const).map((side) => (
                <select
                  key={side}
                  aria-label={side === "a" ? "From version" : "To version"}
                  className="field h-7"
                  value={side === "a" ? a : b}
                  onChange={(event) => setSearch({ [side]: event.target.value })}
                >
                  {sorted.map((each) => (
                    <option key={each.version} value={each.version}>{`v${each.version}`}</option>
                  ))}
                </select>
              ))}
            </span>
          )
        }
      >
        {a && b && a !== b ? (
          <Diff id={job.jobId} a={a} b={b} />
        ) : (
          <Empty title="There is one version only">
            The next change of the definition makes another.
          </Empty>
        )}
      </Card>
    </div>
  );
}

function Diff({ id, a, b }: { id: string; a: number; b: number }) {
  const query = useQuery(versionDiff(id, a, b));
  return (
    <Load query={query}>
      {({ changes }) =>
        changes.length === 0 ? (
          <p className="p-4 text-ink-2">These versions say the same.</p>
        ) : (
          <ul className="divide-y divide-line font-mono text-xs">
            {changes.map((change) => (
              <li key={change.field} className="px-4 py-2.5">
                <p className="mb-1 font-semibold break-words">{change.field}</p>
                <p className="rounded bg-bad-soft px-2 py-0.5 whitespace-pre-wrap break-words">{`- ${pretty(change.old ?? null)}`}</p>
                <p className="mt-0.5 rounded bg-ok-soft px-2 py-0.5 whitespace-pre-wrap break-words">{`+ ${pretty(change.new ?? null)}`}</p>
              </li>
            ))}
          </ul>
        )
      }
    </Load>
  );
}

function Rollback({ job, version }: { job: JobDetail; version: number }) {
  const cache = useQueryClient();
  const [open, setOpen] = useState(false);
  if (version === job.version || !may(job, "rollback")) return null;
  const send = async () => {
    await ask("rollBackJob", { path: [job.jobId], body: { version }, ifMatch: etagOf(job) });
    toast.done(`${job.name} is as it was in v${version}.`);
    await cache.invalidateQueries({ queryKey: ["job", job.jobId] });
  };
  return (
    <>
      <Button tone="quiet" icon={<Undo2 className="size-3.5" />} onClick={() => setOpen(true)}>
        Roll back
      </Button>
      <FormDialog
        open={open}
        title={`Roll back to v${version}?`}
        submit="Roll back"
        onClose={() => setOpen(false)}
        onSubmit={send}
      >
        <p>{`New runs of ${job.name} follow the definition of v${version}, as a new version. Runs under way keep theirs.`}</p>
      </FormDialog>
    </>
  );
}
