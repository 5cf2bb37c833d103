import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask, type Body } from "@/api/client";
import type { Schedule } from "@/api/types";
import { plural } from "@/lib/format";
import { Field, FormDialog } from "@/ui/Dialog";
import { toast } from "@/ui/Toasts";

type Wish = Body<"backfillSchedule">;

/** The server tells of so many instants at most. */
const TOLD = 100;

/** Two steps: the first press counts what would be made, the second makes it. */
export function BackfillDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const cache = useQueryClient();
  const [planned, setPlanned] = useState<number | null>(null);
  const [hasMore, setMore] = useState(false);
  const [wish, setWish] = useState<Wish | null>(null);
  const read = (fields: FormData): Wish => ({
    from: new Date(String(fields.get("from"))).toISOString(),
    until: new Date(String(fields.get("until"))).toISOString(),
    order: String(fields.get("order")) as "oldest",
    reprocess: String(fields.get("reprocess")) as "missing",
    concurrency: Number(fields.get("concurrency")),
  });
  const plan = async (fields: FormData) => {
    const body = read(fields);
    const answer = await ask("backfillSchedule", {
      path: [schedule.name],
      body: { ...body, dryRun: true },
    });
    setWish(body);
    setPlanned(answer.planned.filter((each) => each.starts).length);
    setMore(answer.planned.length >= TOLD);
    return "stay";
  };
  const start = async () => {
    if (wish) await ask("backfillSchedule", { path: [schedule.name], body: wish });
    toast.done(`The backfill of ${schedule.name} has begun.`);
    await cache.invalidateQueries();
  };
  if (planned !== null) {
    const runs = `${plural(planned, "run")}${hasMore ? " or more" : ""}`;
    return (
      <FormDialog
        open
        title={`Backfill ${schedule.name}: ${runs}?`}
        submit={`Make ${runs}`}
        disabled={planned === 0 && !hasMore}
        onClose={onClose}
        onSubmit={start}
      >
        <p>
          {planned || hasMore
            ? "They run in their own order and at the pace you chose; other work goes on."
            : "Nothing is missing in this range."}
        </p>
      </FormDialog>
    );
  }
  return (
    <FormDialog
      open
      title={`Backfill ${schedule.name}`}
      submit="Count first"
      onClose={onClose}
      onSubmit={plan}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="From">
          {(id) => (
            <input id={id} name="from" type="datetime-local" required className="field w-full" />
          )}
        </Field>
        <Field label="Until">
          {(id) => (
            <input id={id} name="until" type="datetime-local" required className="field w-full" />
          )}
        </Field>
        <Field label="Order">
          {(id) => (
            <select id={id} name="order" className="field w-full">
              <option value="oldest">Oldest first</option>
              <option value="newest">Newest first</option>
            </select>
          )}
        </Field>
        <Field label="What to run">
          {(id) => (
            <select id={id} name="reprocess" className="field w-full">
              <option value="missing">What never ran</option>
              <option value="failed">What never ran or failed</option>
              <option value="all">Everything</option>
            </select>
          )}
        </Field>
        <Field label="At once">
          {(id) => (
            <input
              id={id}
              name="concurrency"
              type="number"
              min={1}
              defaultValue={1}
              className="field w-full"
            />
          )}
        </Field>
      </div>
    </FormDialog>
  );
}
