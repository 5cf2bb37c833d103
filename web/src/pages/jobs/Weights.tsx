import { useQueryClient } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { keys } from "@/api/keys";
import type { JobDetail, JobVersion } from "@/api/types";
import { percent } from "@/lib/format";
import { useOpened } from "@/lib/useOpened";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { toast } from "@/ui/Toasts";

/** Shares the runs to come out between versions: the newest for a tenth, for example. */
export function Weights({ job, versions }: { job: JobDetail; versions: JobVersion[] }) {
  const [isOpen, setOpen] = useState(false);
  if (versions.length < 2 || !may(job, "weights")) return null;
  return (
    <>
      <Button icon={<Scale className="size-3.5" />} onClick={() => setOpen(true)}>
        Share runs
      </Button>
      {isOpen && <WeightsForm job={job} versions={versions} onClose={() => setOpen(false)} />}
    </>
  );
}

interface Props {
  job: JobDetail;
  versions: JobVersion[];
  onClose: () => void;
}

function WeightsForm({ job: given, versions, onClose }: Props) {
  const [job, ifMatch] = useOpened(given);
  const cache = useQueryClient();
  const [weights, setWeights] = useState<Record<string, number>>(job.weights);
  const total = Object.values(weights).reduce((sum, each) => sum + each, 0);
  const send = async () => {
    const body = Object.fromEntries(Object.entries(weights).filter(([, each]) => each > 0));
    await ask("weighVersions", { path: [job.jobId], body, ifMatch });
    toast.done(total ? `Runs of ${job.name} are shared out.` : "All runs get the current version.");
    await cache.invalidateQueries({ queryKey: keys.job(job.jobId) });
  };
  return (
    <FormDialog
      open
      title={`Share runs of ${job.name}`}
      submit="Save"
      onClose={onClose}
      onSubmit={send}
    >
      <p className="text-ink-2">
        Runs to come get a version by these weights; a run's key always leads to the same one. All
        zero: every run gets the current version.
      </p>
      <ul className="space-y-2">
        {versions.map(({ version }) => {
          const weight = weights[version] ?? 0;
          return (
            <li key={version} className="flex items-center gap-3">
              <label className="flex flex-1 items-center gap-3">
                <span className="w-12 font-medium">{`v${version}`}</span>
                <input
                  type="number"
                  min={0}
                  max={1_000_000}
                  className="field w-28"
                  value={weight}
                  onChange={(event) =>
                    setWeights({ ...weights, [version]: event.target.valueAsNumber || 0 })
                  }
                />
              </label>
              <span className="num text-ink-2">{total ? percent(weight / total) : "–"}</span>
            </li>
          );
        })}
      </ul>
    </FormDialog>
  );
}
