import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ask, type Body } from "@/api/client";
import { calendars, jobs } from "@/api/queries";
import type { Job, ScheduleDetail } from "@/api/types";
import { pretty, readJson } from "@/lib/format";
import { hereZone } from "@/lib/time";
import { useList } from "@/lib/useList";
import { useOpened } from "@/lib/useOpened";
import { Field, FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { JsonEditor } from "@/ui/Json";
import { ErrorPanel } from "@/ui/Panels";
import { toast } from "@/ui/Toasts";
import { Firings } from "./Firings";
import { type Asked, usePreview } from "./preview";
import { CATCHUPS, EXPRESSIONS, FOLDS, GAPS, OVERLAPS, ROLLS } from "./words";
import { ZoneField } from "./ZoneField";

type ScheduleBody = Body<"replaceSchedule">;

interface Props {
  /** None makes a new one. */
  schedule?: ScheduleDetail | undefined;
  /** Whose it will be, where that is known. */
  job?: string | undefined;
  onClose: () => void;
}

/** Edit a schedule and see, while typing, what the server makes of it. */
export function EditSchedule({ schedule: given, job, onClose }: Props) {
  const [schedule, ifMatch] = useOpened(given);
  const cache = useQueryClient();
  const old = (schedule?.definition ?? {}) as Partial<ScheduleBody>;
  const [timing, setTiming] = useState<Asked>({
    name: schedule?.name ?? "",
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
    const whose = schedule?.job ?? job ?? String(fields.get("job")).trim();
    const body = {
      ...bodyOf(fields, timing, old, schedule?.trigger, readJson(args).value),
      job: whose,
    };
    await ask("replaceSchedule", { path: [name], body, ifMatch, isNew: !schedule });
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
          {!schedule && (
            <Text
              name="name"
              label="Name"
              required
              maxLength={200}
              onText={(name) => change({ name: name.trim() })}
            />
          )}
          <JobField fixed={schedule?.job ?? job} />
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
          <Field label="Arguments" hint="For the runs it starts: a JSON object.">
            {(id) => <JsonEditor id={id} name="arguments" rows={3} text={args} onText={setArgs} />}
          </Field>
        </div>
        <div className="space-y-4 md:border-l md:border-line md:pl-6">
          <div aria-live="polite" className="min-h-100">
            {preview.error ? (
              <ErrorPanel error={preview.error} />
            ) : (
              preview.data && <Firings preview={preview.data} />
            )}
          </div>
          <Text
            name="from"
            type="date"
            label="Preview from"
            hint="Another day than today: one on which the clocks change, for example."
            // Without a zone it is the midnight of the schedule's own.
            onText={(day) => change({ from: day ? `${day}T00:00` : null })}
          />
        </div>
      </div>
    </FormDialog>
  );
}

/** Whose schedule it is; that never changes. */
function JobField({ fixed }: { fixed: string | undefined }) {
  const known = useList<Job>(jobs());
  if (!fixed)
    return (
      <Text name="job" label="Job" required suggestions={known.rows.map((each) => each.name)} />
    );
  return (
    <p className="break-words">
      <span className="text-ink-2">Starts</span> <span className="font-medium">{fixed}</span>
    </p>
  );
}

interface PolicyProps {
  old: Partial<ScheduleBody>;
  timing: Asked;
  change: (patch: Partial<Asked>) => void;
}

function Policies({ old, timing, change }: PolicyProps) {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Text
          name="overlap"
          label="If the last run still runs"
          initial={old.overlap ?? "allow"}
          options={OVERLAPS}
        />
        <Text
          name="catchup"
          label="If a firing was missed"
          initial={old.catchup ?? "last"}
          options={CATCHUPS}
        />
        {typeof old.calendar !== "object" && <CalendarFields timing={timing} change={change} />}
      </div>
      <details open={Boolean(old.gap || old.fold)} className="rounded-md border border-line">
        <summary className="px-3 py-2 font-medium text-ink-2">Where clocks are changed</summary>
        <div className="grid gap-3 px-3 pt-1 pb-3 sm:grid-cols-2">
          <Text
            name="gap"
            label="In a skipped hour"
            initial={timing.gap ?? "cron"}
            options={GAPS}
            onText={(gap) => change({ gap: gap as NonNullable<Asked["gap"]> })}
          />
          <Text
            name="fold"
            label="In a repeated hour"
            initial={timing.fold ?? "cron"}
            options={FOLDS}
            onText={(fold) => change({ fold: fold as NonNullable<Asked["fold"]> })}
          />
        </div>
      </details>
    </>
  );
}

/** The chosen calendar is among the answers from the start, before the others are known. */
function CalendarFields({ timing, change }: Omit<PolicyProps, "old">) {
  const { data } = useQuery(calendars());
  const chosen = timing.calendar as string | null;
  const names = new Set([chosen, ...(data?.items ?? []).map((each) => each.name)]);
  const days = [...names].filter((each): each is string => Boolean(each)).sort();
  return (
    <>
      <Text
        name="calendar"
        label="Days"
        initial={chosen}
        options={[["", "Every day"] as const, ...days]}
        onText={(calendar) => change({ calendar: calendar || null })}
      />
      {chosen && (
        <Text
          name="roll"
          label="On a day off"
          initial={timing.roll ?? "skip"}
          options={ROLLS}
          onText={(roll) => change({ roll: roll as NonNullable<Asked["roll"]> })}
        />
      )}
    </>
  );
}

/** All that the old one said, with what the form changes; the trigger stays itself if its text does. */
export function bodyOf(
  fields: FormData,
  timing: Asked,
  old: Partial<ScheduleBody>,
  oldText: string | undefined,
  args: unknown,
): Omit<ScheduleBody, "job"> {
  const text = (name: string) => String(fields.get(name) ?? "").trim();
  const isSame = timing.expression?.trim() === oldText && old.trigger;
  return {
    ...old,
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
    args: args as ScheduleBody["args"],
  };
}
