import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Construction } from "lucide-react";
import { useState } from "react";
import { ask, type Body } from "@/api/client";
import { blackouts } from "@/api/queries";
import type { Blackout } from "@/api/types";
import { FormDialog } from "@/ui/Dialog";
import { Choice, Text } from "@/ui/Fields";
import { Kept } from "@/ui/Kept";
import { toast } from "@/ui/Toasts";
import { BLACKOUTS } from "./words";
import { hereZone, ZoneField } from "./ZoneField";

type Wish = Body<"replaceBlackout">;

/** Times in which nothing, or less, is started. */
export function Blackouts() {
  return (
    <Kept
      query={useQuery(blackouts())}
      subject="blackout"
      create="create-blackout"
      title="New window"
      icon={Construction}
      empty="No maintenance windows"
      about="A window holds back a job, a queue or everything while something is repaired: once, or at certain times."
      describe={(each) => (
        <>
          <p>{`${whenOf(each)}, ${each.zone}`}</p>
          <p className="text-xs text-ink-2">
            {[BLACKOUTS.find(([kind]) => kind === each.kind)?.[1], scopeOf(each), each.note]
              .filter(Boolean)
              .join(" · ")}
          </p>
        </>
      )}
      form={(each, onClose) => <BlackoutForm window={each} onClose={onClose} />}
    />
  );
}

function scopeOf({ job, queue }: Blackout): string {
  if (job) return `job ${job}`;
  return queue ? `queue ${queue}` : "everything";
}

function whenOf(each: Blackout): string {
  if (!each.trigger) return `${spaced(each.start)} to ${spaced(each.end)}`;
  return `${lineOf(each.trigger)} for ${each.duration}`;
}

const spaced = (time: string | null) => time?.replace("T", " ") ?? "";

/** A cron line as it was written; other triggers as they are kept. */
function lineOf(trigger: Blackout["trigger"]): string {
  const line = trigger?.expression;
  return typeof line === "string" ? line : JSON.stringify(trigger);
}

const TIMES = [
  ["once", "Once"],
  ["again", "Again and again"],
] as const;

function BlackoutForm({ window, onClose }: { window?: Blackout | undefined; onClose: () => void }) {
  const cache = useQueryClient();
  const [times, setTimes] = useState<string>(window?.trigger ? "again" : "once");
  const [zone, setZone] = useState(window?.zone ?? hereZone());
  const send = async (fields: FormData) => {
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const name = window?.name ?? text("name");
    const isSame = window?.trigger && text("trigger") === lineOf(window.trigger);
    const timed =
      times === "once"
        ? { start: text("start"), end: text("end") }
        : { trigger: isSame ? window.trigger : text("trigger"), duration: text("duration") };
    const scope = { job: text("job") || null, queue: text("queue") || null };
    const body = {
      kind: text("kind") as Wish["kind"],
      zone,
      note: text("note"),
      ...timed,
      ...scope,
    };
    await ask("replaceBlackout", { path: [name], body });
    toast.done(`${name} is saved and counts at once.`);
    await cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      title={window ? `Edit ${window.name}` : "New maintenance window"}
      submit="Save"
      onClose={onClose}
      onSubmit={send}
    >
      {!window && <Text name="name" label="Name" required maxLength={200} />}
      <Text name="kind" label="What happens in it" initial={window?.kind} options={BLACKOUTS} />
      <Choice legend="When" options={TIMES} value={times} onChange={setTimes} />
      <div className="grid gap-4 sm:grid-cols-2">
        {times === "once" ? (
          <>
            <Text
              name="start"
              label="From"
              type="datetime-local"
              required
              initial={window?.start}
            />
            <Text name="end" label="Until" type="datetime-local" required initial={window?.end} />
          </>
        ) : (
          <>
            <Text
              name="trigger"
              label="Begins"
              mono
              required
              placeholder="0 2 * * sun"
              initial={window?.trigger ? lineOf(window.trigger) : ""}
              hint="A cron line."
            />
            <Text
              name="duration"
              label="Lasts"
              required
              placeholder="2h"
              initial={window?.duration}
            />
          </>
        )}
        <Text name="job" label="Only for job" initial={window?.job} placeholder="all" />
        <Text name="queue" label="Only for queue" initial={window?.queue} placeholder="all" />
      </div>
      <ZoneField name="zone" zone={zone} onZone={setZone} />
      <Text
        name="note"
        label="Note"
        initial={window?.note}
        maxLength={500}
        hint="Why, for those who wonder."
      />
    </FormDialog>
  );
}
