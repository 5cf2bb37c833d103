import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ask, type Body, etagOf } from "@/api/client";
import { calendars } from "@/api/queries";
import type { ScheduleDetail } from "@/api/types";
import { pretty, readJson } from "@/lib/format";
import { Field, FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { JsonEditor } from "@/ui/Json";
import { ErrorPanel } from "@/ui/Panels";
import { toast } from "@/ui/Toasts";
import { Firings } from "./Firings";
import { type Asked, usePreview } from "./preview";
import { CATCHUPS, EXPRESSIONS, FOLDS, GAPS, OVERLAPS, ROLLS } from "./words";
import { hereZone, ZoneField } from "./ZoneField";

type ScheduleBody = Body<"replaceSchedule">;

interface Props {
  /** None makes a new one. */
  schedule?: ScheduleDetail | undefined;
  /** Whose it will be, where that is known. */
  job?: string | undefined;
  onClose: () => void;
}

/** Edit a schedule and see, while typing, what the server makes of it. */
export function EditSchedule({ schedule, job, onClose }: Props) {
  const cache = useQueryClient();
  const old = (schedule?.definition ?? {}) as Partial<ScheduleBody>;
  const [timing, setTiming] = useState<Asked>({
    expression: schedule?.trigger ?? "0 6 * * *",
    zone: schedule?.zone ?? hereZone(),
    gap: old.gap ?? null,
    fold: old.fold ?? null,
    calendar: typeof old.calendar === "string" ? old.calendar : null,
    roll: old.roll ?? null,
  });
  const [args, setArgs] = useState(() => (old.args ? pretty(old.args) : ""));
  const preview = usePreview(useDeferredValue(timing));
  const change = (patch: Partial<Asked>) => setTiming((before) => ({ ...before, ...patch }));
  const send = async (fields: FormData) => {
    const name = schedule?.name ?? String(fields.get("name")).trim();
    const body = bodyOf(fields, timing, old, schedule?.trigger, readJson(args).value);
    await ask("replaceSchedule", { path: [name], body, ifMatch: etagOf(schedule) });
    toast.done(`${name} is saved.`);
    await cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      wide
      title={schedule ? `Edit ${schedule.name}` : "New schedule"}
      submit="Save"
      disabled={preview.isError || readJson(args).error !== null}
      onClose={onClose}
      onSubmit={send}
    >
      <div className="grid gap-6 md:grid-cols-2">
        <div className="space-y-3">
          {!schedule && <Text name="name" label="Name" required maxLength={200} />}
          <Text
            name="job"
            label="Job"
            required
            initial={schedule?.job ?? job}
            readOnly={Boolean(schedule ?? job)}
          />
          <Text
            name="expression"
            label="When"
            mono
            required
            hint={EXPRESSIONS}
            initial={timing.expression}
            onText={(expression) => change({ expression })}
          />
          <ZoneField name="zone" zone={timing.zone ?? ""} onZone={(zone) => change({ zone })} />
          <Policies old={old} timing={timing} change={change} />
          <Field label="Arguments" hint="Of the runs it starts, as a JSON object.">
            {(id) => <JsonEditor id={id} name="arguments" rows={3} text={args} onText={setArgs} />}
          </Field>
        </div>
        <div aria-live="polite" className="min-h-72 space-y-3">
          <Text
            name="from"
            type="date"
            label="Preview from"
            hint="Try the days on which clocks are changed."
            onText={(day) => change({ from: day ? `${day}T00:00:00Z` : null })}
          />
          {preview.error ? (
            <ErrorPanel error={preview.error} />
          ) : (
            preview.data && <Firings preview={preview.data} />
          )}
        </div>
      </div>
    </FormDialog>
  );
}

interface PolicyProps {
  old: Partial<ScheduleBody>;
  timing: Asked;
  change: (patch: Partial<Asked>) => void;
}

function Policies({ old, timing, change }: PolicyProps) {
  const { data } = useQuery(calendars());
  const days = [["", "Every day"] as const, ...(data?.items ?? []).map((each) => each.name)];
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Text
        name="overlap"
        label="If the last still runs"
        initial={old.overlap ?? "allow"}
        options={OVERLAPS}
      />
      <Text
        name="catchup"
        label="If it was missed"
        initial={old.catchup ?? "last"}
        options={CATCHUPS}
      />
      {typeof old.calendar !== "object" && (
        <Text
          name="calendar"
          label="Calendar"
          initial={timing.calendar as string | null}
          options={days}
          onText={(calendar) => change({ calendar: calendar || null })}
        />
      )}
      {timing.calendar && (
        <Text
          name="roll"
          label="On a day off"
          initial={timing.roll ?? "skip"}
          options={ROLLS}
          onText={(roll) => change({ roll: roll as NonNullable<Asked["roll"]> })}
        />
      )}
      <Text
        name="gap"
        label="An hour that is skipped"
        initial={timing.gap ?? "cron"}
        options={GAPS}
        onText={(gap) => change({ gap: gap as NonNullable<Asked["gap"]> })}
      />
      <Text
        name="fold"
        label="An hour that comes twice"
        initial={timing.fold ?? "cron"}
        options={FOLDS}
        onText={(fold) => change({ fold: fold as NonNullable<Asked["fold"]> })}
      />
    </div>
  );
}

/** All that the old one said, with what the form changes; the trigger stays itself if its text does. */
function bodyOf(
  fields: FormData,
  timing: Asked,
  old: Partial<ScheduleBody>,
  oldText: string | undefined,
  args: unknown,
): ScheduleBody {
  const text = (name: string) => String(fields.get(name) ?? "").trim();
  const isSame = timing.expression?.trim() === oldText && old.trigger;
  return {
    ...old,
    job: text("job"),
    ...(isSame ? {} : { trigger: null, expression: timing.expression?.trim() ?? null }),
    zone: timing.zone ?? null,
    gap: timing.gap ?? null,
    fold: timing.fold ?? null,
    ...(typeof old.calendar === "object" && old.calendar !== null
      ? {}
      : {
          calendar: timing.calendar ?? null,
          roll: timing.calendar ? (timing.roll ?? null) : null,
        }),
    overlap: text("overlap") as NonNullable<ScheduleBody["overlap"]>,
    catchup: text("catchup") as NonNullable<ScheduleBody["catchup"]>,
    args: (args ?? old.args ?? null) as Record<string, unknown> | null,
  };
}
