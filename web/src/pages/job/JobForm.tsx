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
import { ScheduleField } from "../schedule/ScheduleField";
import { bodyOf, fieldsOf, type Kind, kindOf, METHODS } from "./definition";

interface Props {
  /** None makes a new one. */
  job?: JobDetail | undefined;
  onClose: () => void;
}

const KINDS: [Kind, string][] = [
  ["command", "A program"],
  ["http", "An HTTP request"],
];

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

type Old = Record<string, string>;

function CommandFields({ old }: { old: Old }) {
  return (
    <>
      <Text
        name="command"
        label="Command"
        hint="Split into words as a shell would, but run without one: no pipes, no $VARIABLES."
        initial={old.command}
        required
        mono
        placeholder="python report.py --day today"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Text
          name="env"
          label="Variables"
          initial={old.env}
          rows={3}
          mono
          hint={'NAME=value, one per line. "a\\nb" in quotes for a value of several lines.'}
        />
        <Text name="cwd" label="Folder" initial={old.cwd} mono hint="The worker's own if empty." />
      </div>
    </>
  );
}

function HttpFields({ old }: { old: Old }) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
        <Text name="method" label="Method" initial={old.method} options={METHODS} />
        <Text
          name="url"
          label="Address"
          initial={old.url}
          type="url"
          required
          mono
          placeholder="https://"
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Text
          name="headers"
          label="Headers"
          initial={old.headers}
          rows={3}
          mono
          hint="Name: value, one per line."
        />
        <Text name="body" label="Body" initial={old.body} rows={3} mono />
      </div>
      <Text
        name="expect"
        label="Statuses that are a success"
        initial={old.expect}
        hint="Any 2xx if empty."
      />
    </>
  );
}

function PolicyFields({ old }: { old: Old }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2 md:grid-cols-3">
      <Text name="queue" label="Queue" initial={old.queue} placeholder="default" />
      <Text
        name="priority"
        label="Priority"
        initial={old.priority}
        type="number"
        min={-100}
        max={100}
        placeholder="0"
      />
      <Text
        name="retries"
        label="Retries"
        initial={old.retries}
        type="number"
        min={0}
        placeholder="3"
      />
      <Text
        name="timeout"
        label="Timeout"
        initial={old.timeout}
        hint="Seconds, or 90s, 10m, 2h."
        placeholder="none"
      />
      <Text
        name="expires"
        label="Expires"
        initial={old.expires}
        hint="Dropped after waiting so long."
        placeholder="never"
      />
      <Text
        name="dependencies"
        label="Runs after"
        initial={old.dependencies}
        hint="Names of jobs, separated by commas."
      />
    </div>
  );
}
