import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { session } from "@/api/queries";
import type { JobDetail } from "@/api/types";
import { useOpened } from "@/lib/useOpened";
import { FormDialog } from "@/ui/Dialog";
import { Choice, Text } from "@/ui/Fields";
import { toast } from "@/ui/Toasts";
import { ScheduleField } from "../schedules/ScheduleField";
import { bodyOf, fieldsOf, type Kind, kindOf } from "./definition";
import { CommandFields, HttpFields, KINDS, PolicyFields } from "./JobFields";

interface Props {
  /** None makes a new one. */
  job?: JobDetail | undefined;
  onClose: () => void;
}

/** Defines a job, or its next version; runs under way keep the version they have. */
export function JobForm({ job: given, onClose }: Props) {
  const [job, ifMatch] = useOpened(given);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const mayRunCommands = may(useQuery(session).data, "create-command");
  const [chosen, setKind] = useState<Kind | null>(null);
  const kind = chosen ?? kindOf(job?.definition, mayRunCommands);
  const old = fieldsOf(job?.definition);
  const send = async (fields: FormData) => {
    const body = bodyOf(fields, kind, job?.definition);
    const made = job
      ? await ask("replaceJob", { path: [job.jobId], body, ifMatch })
      : await ask("defineNewJob", { body });
    toast.done(`${made.jobId} is on record as v${made.version}.`);
    await cache.invalidateQueries();
    if (!job) await navigate({ to: "/jobs/$id", params: { id: made.jobId } });
  };
  return (
    <FormDialog
      open
      wide
      title={job ? `Edit ${job.name}` : "New job"}
      submit={job ? "Save as a new version" : "Create the job"}
      onClose={onClose}
      onSubmit={send}
    >
      {!job && <Text name="name" label="Name" required maxLength={200} />}
      {!job && mayRunCommands && (
        <Choice
          legend="What it does"
          options={KINDS}
          value={kind}
          onChange={(each) => setKind(each as Kind)}
        />
      )}
      {kind === "command" ? <CommandFields old={old} /> : <HttpFields old={old} />}
      <PolicyFields old={old} />
      {job ? (
        <p className="text-xs text-ink-2">
          Its schedules stay as they are; edit them under Schedules.
        </p>
      ) : (
        <ScheduleField />
      )}
    </FormDialog>
  );
}
