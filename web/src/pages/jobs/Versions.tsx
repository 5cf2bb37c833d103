import { useQuery, useQueryClient } from "@tanstack/react-query";
import { GitCompare, Undo2 } from "lucide-react";
import { Fragment, useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { keys } from "@/api/keys";
import { versionDiff, versions } from "@/api/queries";
import type { JobDetail, JobVersion } from "@/api/types";
import { useFilters } from "@/lib/useFilters";
import { useOpened } from "@/lib/useOpened";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { Card, Empty, Load } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";
import { labelOf, shownOf } from "./change";
import { originOf } from "./origin";
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
                  {each.origin && `, ${originOf(each.origin)}`}
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
                <Fragment key={side}>
                  {side === "b" && "to"}
                  <select
                    aria-label={side === "a" ? "From version" : "To version"}
                    className="field h-7"
                    value={side === "a" ? a : b}
                    onChange={(event) => setSearch({ [side]: event.target.value })}
                  >
                    {sorted.map((each) => (
                      <option key={each.version} value={each.version}>{`v${each.version}`}</option>
                    ))}
                  </select>
                </Fragment>
              ))}
            </span>
          )
        }
      >
        {a && b && a !== b ? (
          <Diff id={job.jobId} a={a} b={b} />
        ) : (
          <Empty
            icon={GitCompare}
            title={sorted.length > 1 ? "Twice the same version" : "There is one version only"}
          >
            {sorted.length > 1
              ? "Choose two that differ."
              : "The next change of the definition makes another."}
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
          <ul className="divide-y divide-line">
            {changes.map(({ field, old, new: now }) => (
              <li key={field} className="px-4 py-3">
                <p className="mb-1.5 font-medium break-words" title={field}>
                  {labelOf(field)}
                </p>
                <Side sign="−" word="Before" className="bg-bad-soft" text={shownOf(field, old)} />
                <Side sign="+" word="After" className="bg-ok-soft" text={shownOf(field, now)} />
              </li>
            ))}
          </ul>
        )
      }
    </Load>
  );
}

interface SideProps {
  sign: string;
  word: string;
  className: string;
  text: string;
}

function Side({ sign, word, className, text }: SideProps) {
  return (
    <p className={`mt-0.5 flex gap-2 rounded px-2 py-0.5 font-mono text-xs leading-5 ${className}`}>
      <span aria-hidden>{sign}</span>
      <span className="sr-only">{word}: </span>
      <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">{text}</span>
    </p>
  );
}

interface RollbackProps {
  job: JobDetail;
  version: number;
}

function Rollback({ job, version }: RollbackProps) {
  const [open, setOpen] = useState(false);
  if (version === job.version || !may(job, "rollback")) return null;
  return (
    <>
      <Button tone="quiet" icon={<Undo2 className="size-3.5" />} onClick={() => setOpen(true)}>
        Roll back
      </Button>
      {open && <RollbackDialog job={job} version={version} onClose={() => setOpen(false)} />}
    </>
  );
}

function RollbackDialog({ job: given, version, onClose }: RollbackProps & { onClose: () => void }) {
  const cache = useQueryClient();
  const [job, ifMatch] = useOpened(given);
  const send = async () => {
    await ask("rollBackJob", { path: [job.jobId], body: { version }, ifMatch });
    toast.done(`${job.name} is as it was in v${version}.`);
    await cache.invalidateQueries({ queryKey: keys.job(job.jobId) });
  };
  return (
    <FormDialog
      open
      title={`Roll ${job.name} back to v${version}?`}
      submit="Roll back"
      onClose={onClose}
      onSubmit={send}
    >
      <p>{`v${version} becomes current again: new runs follow it. Runs under way keep their version, schedules stay as they are.`}</p>
      <p className="font-medium">What changes</p>
      <section
        aria-label="What changes"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="scroll-thin -mt-2 max-h-72 overflow-y-auto rounded-md border border-line"
      >
        <Diff id={job.jobId} a={job.version} b={version} />
      </section>
    </FormDialog>
  );
}
