import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { History, Zap } from "lucide-react";
import { useState } from "react";
import { ask, type Body } from "@/api/client";
import { keys } from "@/api/keys";
import { newestRun, parameters } from "@/api/queries";
import type { JobDetail } from "@/api/types";
import { argsText, hasArgs } from "@/lib/args";
import { defaultsOf, type Schema, type Values } from "@/lib/schema";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { Load } from "@/ui/Panels";
import { SchemaForm } from "@/ui/SchemaForm";
import { toast } from "@/ui/Toasts";

export function Trigger({ job }: { job: JobDetail }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button tone="primary" icon={<Zap className="size-3.5" />} onClick={() => setOpen(true)}>
        Trigger
      </Button>
      {open && <TriggerDialog job={job} onClose={() => setOpen(false)} />}
    </>
  );
}

function TriggerDialog({ job, onClose }: { job: JobDetail; onClose: () => void }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const schema = useQuery(parameters(job.jobId));
  const [edited, setEdited] = useState<Values | null>(null);
  const values = edited ?? defaultsOf(schema.data as Schema | undefined);
  const [problem, setProblem] = useState<string | null>(null);
  // The fields are made anew when all of them are filled at once.
  const [filled, setFilled] = useState(0);
  const fill = (args: Values) => {
    setEdited(args);
    setProblem(null);
    setFilled(filled + 1);
  };
  const send = async (fields: FormData) => {
    const wish = wishOf(fields);
    const made = Object.keys(wish).length
      ? await ask("submitRun", { body: { jobId: job.jobId, args: values, ...wish } })
      : await ask("triggerJob", { path: [job.jobId], body: { args: values } });
    toast.done(`${job.name} was triggered.`);
    void cache.invalidateQueries({ queryKey: keys.runs });
    await navigate({ to: "/runs/$id", params: { id: made.executionId } });
  };
  return (
    <FormDialog
      open
      wide
      title={`Trigger ${job.name}`}
      submit="Trigger"
      disabled={problem !== null}
      onClose={onClose}
      onSubmit={send}
    >
      <Load query={schema}>
        {(data) => (
          <>
            <AsLastTime jobId={job.jobId} onFill={fill} />
            <SchemaForm
              key={filled}
              schema={data as Schema}
              values={values}
              onChange={(next, wrong) => {
                setEdited(next);
                setProblem(wrong);
              }}
            />
          </>
        )}
      </Load>
      <How job={job} />
    </FormDialog>
  );
}

/** Begins with the arguments of the newest run, whoever asked for it. */
function AsLastTime({ jobId, onFill }: { jobId: string; onFill: (args: Values) => void }) {
  const { data } = useQuery(newestRun(jobId));
  const last = data?.items[0];
  if (!last || !hasArgs(last.args)) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button icon={<History className="size-3.5" />} onClick={() => onFill(last.args as Values)}>
        As last time
      </Button>
      <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink-2">
        {argsText(last.args)}
      </span>
    </p>
  );
}

const PRIORITIES = [
  ["", "as the job says"],
  ["high", "High"],
  ["medium", "Medium"],
  ["low", "Low"],
] as const;

/** What is mostly left as it is. */
function How({ job }: { job: JobDetail }) {
  return (
    <details>
      <summary className="text-ink-2">Delay, priority, key</summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <Text
          name="delay"
          label="Start after"
          placeholder="at once"
          hint="Such as 90s, 15m or 2h."
        />
        <Text name="priority" label="Priority" options={PRIORITIES} />
        <Text
          name="key"
          label="Key"
          mono
          placeholder="none"
          hint={`A second run of ${job.name} with this key is not made.`}
        />
      </div>
    </details>
  );
}

type Wish = Pick<Body<"submitRun">, "delay" | "priority" | "key">;

/** Only what somebody has written. */
export function wishOf(fields: FormData): Wish {
  const written = ["delay", "priority", "key"].map(
    (name) => [name, String(fields.get(name) ?? "").trim()] as const,
  );
  return Object.fromEntries(written.filter(([, text]) => text !== ""));
}
