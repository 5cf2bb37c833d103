import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ask, type Body } from "@/api/client";
import type { Schedule } from "@/api/types";
import { serverNow } from "@/lib/clock";
import { asField, DAY, hereZone } from "@/lib/time";
import { FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { toast } from "@/ui/Toasts";
import { type Plan, Planned, startsOf } from "./Planned";

type Wish = Body<"backfillSchedule">;

const WEEK_MS = 7 * DAY;

const ORDERS = [
  ["oldest", "Oldest first"],
  ["newest", "Newest first"],
] as const;

const WHICH = [
  ["missing", "Those that never ran"],
  ["failed", "Those that never ran or failed"],
  ["all", "All of them"],
] as const;

function wishOf(fields: FormData): Wish {
  return {
    from: new Date(String(fields.get("from"))).toISOString(),
    until: new Date(String(fields.get("until"))).toISOString(),
    order: String(fields.get("order")) as "oldest",
    reprocess: String(fields.get("reprocess")) as "missing",
    concurrency: Number(fields.get("concurrency")),
  };
}

/** The first press shows what would run, the second starts it; a change in between asks again. */
export function BackfillDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const cache = useQueryClient();
  const [plan, setPlan] = useState<Plan | null>(null);
  const edits = useRef(0);
  const [opened] = useState(serverNow);
  const send = async (fields: FormData) => {
    const path: [string] = [schedule.name];
    const body = wishOf(fields);
    if (plan === null) {
      const asked = edits.current;
      const found = await ask("backfillSchedule", { path, body: { ...body, dryRun: true } });
      // What was changed while the server looked is not what it found.
      if (asked === edits.current) setPlan(found);
      return "stay";
    }
    await ask("backfillSchedule", { path, body });
    toast.done(`The backfill of ${schedule.name} has begun.`);
    return cache.invalidateQueries();
  };
  const forget = () => {
    edits.current += 1;
    setPlan(null);
  };
  return (
    <FormDialog
      open
      title={`Backfill ${schedule.name}`}
      submit={plan === null ? "Show what would run" : startsOf(plan).submit}
      disabled={plan !== null && startsOf(plan).most === 0}
      onClose={onClose}
      onSubmit={send}
    >
      <p className="text-ink-2">
        {`Runs for the times at which ${schedule.name} fired, or should have fired, in the past. Nothing starts before you have seen them.`}
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <Text
          name="from"
          label="From"
          type="datetime-local"
          required
          initial={asField(new Date(opened - WEEK_MS).toISOString())}
          hint={`Your time, ${hereZone()}.`}
          onText={forget}
        />
        <Text
          name="until"
          label="Until"
          type="datetime-local"
          required
          initial={asField(new Date(opened).toISOString())}
          onText={forget}
        />
        <Text name="reprocess" label="Which" options={WHICH} onText={forget} />
        <Text name="order" label="Order" options={ORDERS} onText={forget} />
        <Text
          name="concurrency"
          label="Runs at once"
          type="number"
          required
          min={1}
          initial={1}
          hint="More are faster and load more."
          onText={forget}
        />
      </div>
      <div aria-live="polite">{plan !== null && <Planned plan={plan} />}</div>
    </FormDialog>
  );
}
