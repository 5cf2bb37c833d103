import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Construction } from "lucide-react";
import { useState } from "react";
import { ask, type Body, etagOf } from "@/api/client";
import { blackouts } from "@/api/queries";
import type { Blackout } from "@/api/types";
import { hereZone } from "@/lib/time";
import { FormDialog } from "@/ui/Dialog";
import { Choice, Text } from "@/ui/Fields";
import { Kept } from "@/ui/Kept";
import { Tag } from "@/ui/State";
import { Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";
import { Meaning } from "./Meaning";
import { BLACKOUTS } from "./words";
import { ZoneField } from "./ZoneField";

type Wish = Body<"putBlackout">;

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
      about="A window holds back a job, a queue or everything while something is being repaired: once, or again and again."
      read={(name) => ask("showBlackout", { path: [name] })}
      describe={(each) => (
        <>
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            {each.description}
            <Now window={each} />
          </p>
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
  if (job) return `for job ${job}`;
  return queue ? `for queue ${queue}` : "for everything";
}

/** Whether it holds something back at this moment, or when it will. */
function Now({ window: { isNow, beginsAt, endsAt } }: { window: Blackout }) {
  if (!beginsAt) return <Tag>Over</Tag>;
  return (
    <>
      {isNow && <Tag mood="warn">In force</Tag>}
      <span className="text-xs text-ink-2">
        {isNow ? "until " : "next "}
        <Time at={isNow ? endsAt : beginsAt} planned />
      </span>
    </>
  );
}

/** A cron line as it was written; other triggers as they are kept. */
function lineOf(trigger: Blackout["trigger"]): string {
  return trigger?.type === "cron" ? trigger.expression : JSON.stringify(trigger);
}

const TIMES = [
  ["once", "Once"],
  ["again", "Again and again"],
] as const;

function BlackoutForm({ window, onClose }: { window?: Blackout | undefined; onClose: () => void }) {
  const cache = useQueryClient();
  const [times, setTimes] = useState<string>(window?.trigger ? "again" : "once");
  const [zone, setZone] = useState(window?.zone ?? hereZone());
  const [line, setLine] = useState(window?.trigger ? lineOf(window.trigger) : "");
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
    await ask("putBlackout", { path: [name], body, ifMatch: etagOf(window), isNew: !window });
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
              initial={line}
              hint="A cron line, or @daily, @every 6h."
              onText={setLine}
            />
            <Text
              name="duration"
              label="Lasts"
              required
              placeholder="2h"
              initial={window?.duration}
              hint="Such as 90m or 2h."
            />
            <div className="sm:col-span-2">
              <Meaning expression={line} zone={zone} />
            </div>
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
