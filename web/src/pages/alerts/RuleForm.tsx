import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type InputHTMLAttributes, useState } from "react";
import { ask, etagOf } from "@/api/client";
import { alertChannels, jobs, queues } from "@/api/queries";
import type { AlertRule } from "@/api/types";
import { hereZone } from "@/lib/time";
import { useList } from "@/lib/useList";
import { FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { toast } from "@/ui/Toasts";
import { ZoneField } from "../schedules/ZoneField";
import { ruleOf } from "./rule";
import { GROUPS, KINDS, SEVERITIES } from "./words";

interface Props {
  rule: AlertRule | undefined;
  onClose: () => void;
}

export function RuleForm({ rule, onClose }: Props) {
  const cache = useQueryClient();
  const send = async (fields: FormData) => {
    const name = rule?.name ?? String(fields.get("name")).trim();
    const body = ruleOf(fields);
    await ask("putAlertRule", { path: [name], body, ifMatch: etagOf(rule), isNew: !rule });
    toast.done(`${name} is saved and counts within seconds.`);
    await cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      wide
      title={rule ? `Edit ${rule.name}` : "New alert rule"}
      submit="Save"
      onClose={onClose}
      onSubmit={send}
    >
      {!rule && <Text name="name" label="Name" required maxLength={200} />}
      <fieldset>
        <legend className="mb-1 font-medium">What is reported</legend>
        {KINDS.map(([kind, title, about]) => (
          <Tick
            key={kind}
            name="on"
            value={kind}
            title={title}
            about={about}
            defaultChecked={rule?.on.includes(kind) ?? kind === "run.failed"}
          />
        ))}
      </fieldset>
      <Channels rule={rule} />
      <Scope rule={rule} />
      <Failures rule={rule} />
      <Timing rule={rule} />
      <Text
        name="note"
        label="Note"
        initial={rule?.note}
        maxLength={2000}
        hint="Why, for those who wonder."
      />
      <Tick
        name="enabled"
        title="On"
        about="A rule that is off finds nothing; its open incidents are closed."
        defaultChecked={rule?.enabled ?? true}
      />
    </FormDialog>
  );
}

/** Those that exist; a rule may also name one that comes later. */
function Channels({ rule }: { rule: AlertRule | undefined }) {
  const { data } = useQuery(alertChannels());
  const known = data?.items.map(({ name }) => name) ?? [];
  if (!data) return null;
  return (
    <>
      {known.length > 0 && (
        <fieldset>
          <legend className="mb-1 font-medium">To which channels</legend>
          {data.items.map(({ name, url }) => (
            <Tick
              key={name}
              name="to"
              value={name}
              title={name}
              about={url}
              defaultChecked={rule?.to.includes(name) ?? known.length === 1}
            />
          ))}
        </fieldset>
      )}
      <Text
        name="otherTo"
        label={known.length > 0 ? "To channels that do not exist yet" : "To which channels"}
        initial={rule?.to.filter((name) => !known.includes(name)).join(", ")}
        hint="Names with commas between them."
      />
    </>
  );
}

function Scope({ rule }: { rule: AlertRule | undefined }) {
  const named = useList<{ jobId: string }>(jobs()).rows.map(({ jobId }) => jobId);
  const { data } = useQuery(queues());
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Text
        name="jobs"
        label="Only for jobs"
        initial={rule?.jobs.join(", ")}
        placeholder="all"
        hint="Names with commas between them; * stands for any text, as in etl.*"
        suggestions={named}
      />
      <Text
        name="queues"
        label="Only for queues"
        initial={rule?.queues.join(", ")}
        placeholder="all"
        hint="For alerts about queues; failed runs are chosen by their job."
        suggestions={data?.items.map(({ name }) => name) ?? []}
      />
    </div>
  );
}

function Failures({ rule }: { rule: AlertRule | undefined }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Text
        name="severity"
        label="Severity"
        initial={rule?.severity ?? "error"}
        options={SEVERITIES}
      />
      <Text
        name="group"
        label="One incident of failed runs for"
        initial={rule?.group ?? "job"}
        options={GROUPS}
      />
      <Text
        name="after"
        label="Failed runs before anybody is told"
        type="number"
        min={1}
        required
        initial={rule?.after ?? 1}
      />
      <Text
        name="window"
        label="counted over"
        required
        initial={rule?.window ?? "10m"}
        hint="Such as 10m or 1h."
      />
    </div>
  );
}

function Timing({ rule }: { rule: AlertRule | undefined }) {
  const [isQuiet, setQuiet] = useState(Boolean(rule?.quiet));
  const [zone, setZone] = useState(rule?.quiet?.zone ?? hereZone());
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Text
          name="repeat"
          label="Remind every"
          initial={rule ? rule.repeat : "4h"}
          placeholder="never"
          hint="While it goes on; leave it empty for never."
        />
        <Text
          name="atMost"
          label="Messages in ten minutes, at most"
          type="number"
          min={1}
          required
          initial={rule?.atMost ?? 10}
          hint="What is beyond comes in one message."
        />
      </div>
      <Tick
        name="recovery"
        title="Tell people when it is over"
        defaultChecked={rule?.recovery ?? true}
      />
      <Tick
        name="isQuiet"
        title="Quiet hours"
        about="Only critical incidents are told in them; others at their end."
        checked={isQuiet}
        onChange={(event) => setQuiet(event.target.checked)}
      />
      {isQuiet && (
        <div className="grid gap-4 sm:grid-cols-[1fr_1fr_2fr]">
          <Text
            name="begin"
            label="From"
            type="time"
            required
            initial={rule?.quiet?.begin ?? "22:00"}
          />
          <Text
            name="end"
            label="Until"
            type="time"
            required
            initial={rule?.quiet?.end ?? "07:00"}
          />
          <ZoneField name="zone" zone={zone} onZone={setZone} />
        </div>
      )}
    </>
  );
}

interface TickProps extends InputHTMLAttributes<HTMLInputElement> {
  title: string;
  about?: string;
}

function Tick({ title, about, ...input }: TickProps) {
  return (
    <label className="flex items-start gap-x-2 py-1 max-sm:py-2">
      <input type="checkbox" {...input} className="mt-0.5 shrink-0" />
      <span>
        {title}
        {about && <span className="text-xs text-ink-2">{` – ${about}`}</span>}
      </span>
    </label>
  );
}
