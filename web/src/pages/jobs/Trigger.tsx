import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Zap } from "lucide-react";
import { useState } from "react";
import { ask } from "@/api/client";
import { keys } from "@/api/keys";
import { parameters } from "@/api/queries";
import type { JobDetail } from "@/api/types";
import { defaultsOf, type Schema, type Values } from "@/lib/schema";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
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
  const send = async () => {
    const made = await ask("triggerJob", { path: [job.jobId], body: { args: values } });
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
          <SchemaForm
            schema={data as Schema}
            values={values}
            onChange={(next, wrong) => {
              setEdited(next);
              setProblem(wrong);
            }}
          />
        )}
      </Load>
    </FormDialog>
  );
}
