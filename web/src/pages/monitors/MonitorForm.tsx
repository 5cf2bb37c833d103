import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "@/api/client";
import type { Monitor } from "@/api/types";
import { hereZone } from "@/lib/time";
import { useOpened } from "@/lib/useOpened";
import { FormDialog } from "@/ui/Dialog";
import { Choice, Text } from "@/ui/Fields";
import { toast } from "@/ui/Toasts";
import { Meaning } from "../schedules/Meaning";
import { ZoneField } from "../schedules/ZoneField";

const RULES = [
  ["every", "Every so often"],
  ["cron", "At the times of a cron line"],
] as const;

interface Props {
  /** None makes a new one. */
  monitor?: Monitor | undefined;
  onClose: () => void;
  onMade?: (name: string) => void;
}

/** Make or change a monitor; what a cron line means is shown while it is typed. */
export function MonitorForm({ monitor: given, onClose, onMade }: Props) {
  const [monitor, ifMatch] = useOpened(given);
  const cache = useQueryClient();
  const [rule, setRule] = useState<string>(monitor?.cron ? "cron" : "every");
  const [line, setLine] = useState(monitor?.cron ?? "0 3 * * *");
  const [zone, setZone] = useState(monitor?.cron ? monitor.zone : hereZone());
  const send = async (fields: FormData) => {
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const name = monitor?.name ?? text("name");
    const expects =
      rule === "cron"
        ? { cron: line.trim(), zone, dialect: monitor?.dialect ?? ("vixie" as const) }
        : { every: text("every") };
    const body = {
      ...expects,
      grace: text("grace"),
      note: text("note"),
      manualResume: fields.has("manual"),
    };
    await ask("putMonitor", { path: [name], body, ifMatch, isNew: !monitor });
    toast.done(`${name} is saved.`);
    await cache.invalidateQueries();
    onMade?.(name);
  };
  return (
    <FormDialog
      open
      title={monitor ? `Edit ${monitor.name}` : "New monitor"}
      submit="Save"
      onClose={onClose}
      onSubmit={send}
    >
      {!monitor && (
        <Text
          name="name"
          label="Name"
          required
          maxLength={128}
          hint="That of the job it watches."
        />
      )}
      <Choice legend="When the job pings" options={RULES} value={rule} onChange={setRule} />
      {rule === "every" ? (
        <Text
          name="every"
          label="A ping every"
          required
          initial={monitor?.every ?? "1d"}
          hint="Such as 10m, 2h or 1d, counted from the last ping."
        />
      ) : (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Text
              name="cron"
              label="Cron line"
              mono
              required
              initial={line}
              hint="That of the job."
              onText={setLine}
            />
            <ZoneField name="zone" zone={zone} onZone={setZone} />
          </div>
          <Meaning expression={line} zone={zone} />
        </>
      )}
      <Text
        name="grace"
        label="Grace time"
        required
        initial={monitor?.grace ?? "1h"}
        hint="How late a ping may be, and how long the job may take from its start to its end."
      />
      <Text name="note" label="Note" initial={monitor?.note} maxLength={500} />
      <label className="flex min-h-(--tap) items-center gap-2">
        <input type="checkbox" name="manual" defaultChecked={monitor?.manualResume ?? false} />A
        pause is ended by people only, not by a ping
      </label>
    </FormDialog>
  );
}
