import { useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ask, type Body, etagOf } from "@/api/client";
import type { ScheduleDetail } from "@/api/types";
import { pretty, readJson } from "@/lib/format";
import { Field, FormDialog } from "@/ui/Dialog";
import { JsonEditor } from "@/ui/Json";
import { ErrorPanel } from "@/ui/Panels";
import { toast } from "@/ui/Toasts";
import { Firings } from "./Firings";
import { usePreview } from "./preview";

const ZONES = Intl.supportedValuesOf("timeZone");

interface Props {
  /** None makes a new one. */
  schedule?: ScheduleDetail | undefined;
  onClose: () => void;
}

/** Edit a schedule and see, while typing, what the server makes of it. */
export function EditSchedule({ schedule, onClose }: Props) {
  const cache = useQueryClient();
  const [expression, setExpression] = useState(schedule?.trigger ?? "0 6 * * *");
  const [zone, setZone] = useState(
    schedule?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const [args, setArgs] = useState(() =>
    schedule?.definition?.args ? pretty(schedule.definition.args) : "",
  );
  const asked = useDeferredValue({ expression, zone });
  const preview = usePreview(asked);
  const send = async (fields: FormData) => {
    const name = schedule?.name ?? String(fields.get("name")).trim();
    const read = readJson(args);
    const body = {
      ...schedule?.definition,
      job: String(fields.get("job")).trim(),
      ...(expression.trim() !== schedule?.trigger && {
        expression: expression.trim(),
        trigger: undefined,
      }),
      zone,
      ...(read.value !== null && { args: read.value }),
    };
    await ask("replaceSchedule", {
      path: [name],
      body: body as Body<"replaceSchedule">,
      ifMatch: etagOf(schedule),
    });
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
      <div className="grid gap-5 md:grid-cols-2">
        <div className="space-y-3">
          {!schedule && (
            <Field label="Name">
              {(id) => <input id={id} name="name" required className="field w-full" />}
            </Field>
          )}
          <Field label="Job">
            {(id) => (
              <input
                id={id}
                name="job"
                required
                readOnly={Boolean(schedule)}
                defaultValue={schedule?.job}
                className="field w-full read-only:bg-sunken"
              />
            )}
          </Field>
          <Field
            label="When"
            hint="Cron, an interval (every 15m), or any trigger that rota schedules understands."
          >
            {(id) => (
              <input
                id={id}
                required
                spellCheck={false}
                value={expression}
                onChange={(event) => setExpression(event.target.value)}
                className="field w-full font-mono"
              />
            )}
          </Field>
          <Field label="Time zone">
            {(id) => (
              <>
                <input
                  id={id}
                  list="zones"
                  required
                  value={zone}
                  onChange={(event) => setZone(event.target.value)}
                  className="field w-full"
                />
                <datalist id="zones">
                  {ZONES.map((each) => (
                    <option key={each} value={each} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <Field label="Arguments">
            {(id) => <JsonEditor id={id} name="arguments" rows={3} text={args} onText={setArgs} />}
          </Field>
        </div>
        <div aria-live="polite" className="min-h-72">
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
