import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CalendarOff } from "lucide-react";
import { useState } from "react";
import { ask, etagOf } from "@/api/client";
import { calendars } from "@/api/queries";
import type { Calendar } from "@/api/types";
import { plural } from "@/lib/format";
import { FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { Kept } from "@/ui/Kept";
import { toast } from "@/ui/Toasts";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const USUAL = [5, 6];

/** Which days are business days, for schedules that care. */
export function Calendars() {
  return (
    <Kept
      query={useQuery(calendars())}
      subject="calendar"
      create="create-calendar"
      title="New calendar"
      icon={CalendarOff}
      empty="No calendars"
      about="A calendar tells which days are off: weekends, the holidays of a country, your own. Schedules name it."
      read={(name) => ask("showCalendar", { path: [name] })}
      describe={(each) => (
        <>
          <p>{`${weekendOf(each)}${each.country ? `; holidays of ${placeOf(each.country)}` : ""}`}</p>
          <p className="text-xs text-ink-2">{ownOf(each)}</p>
        </>
      )}
      form={(each, onClose) => <CalendarForm calendar={each} onClose={onClose} />}
    />
  );
}

function weekendOf({ weekend }: Calendar): string {
  if (weekend.length === 0) return "No weekend";
  return `${weekend.map((day) => DAYS[day]).join(" and ")} off`;
}

const COUNTRIES = new Intl.DisplayNames("en-GB", { type: "region", fallback: "none" });

/** "France (FR)"; parts of countries and markets as they are called. */
export function placeOf(code: string): string {
  const name = /^[A-Z]{2}$/.test(code) ? COUNTRIES.of(code) : undefined;
  return name ? `${name} (${code})` : code;
}

/** Its own days, without what there is none of. */
export function ownOf({ off, on }: Pick<Calendar, "off" | "on">): string {
  const parts = [
    off.length > 0 && `${plural(off.length, "more day")} off`,
    on.length > 0 && `${plural(on.length, "day")} worked all the same`,
  ].filter(Boolean);
  return parts.join(", ") || "No days of its own";
}

function CalendarForm({
  calendar,
  onClose,
}: {
  calendar?: Calendar | undefined;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const [weekend, setWeekend] = useState(new Set(calendar?.weekend ?? USUAL));
  const flip = (day: number) => {
    const next = new Set(weekend);
    if (!next.delete(day)) next.add(day);
    setWeekend(next);
  };
  const send = async (fields: FormData) => {
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const name = calendar?.name ?? text("name");
    const dates = (field: string) =>
      text(field)
        .split(/[\s,]+/)
        .filter(Boolean);
    await ask("putCalendar", {
      path: [name],
      ifMatch: etagOf(calendar),
      isNew: !calendar,
      body: {
        country: text("country") || null,
        weekend: [...weekend].sort(),
        off: dates("off"),
        on: dates("on"),
      },
    });
    toast.done(`${name} is saved; schedules that name it follow at once.`);
    await cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      title={calendar ? `Edit ${calendar.name}` : "New calendar"}
      submit="Save"
      onClose={onClose}
      onSubmit={send}
    >
      {!calendar && <Text name="name" label="Name" required maxLength={200} />}
      <Text
        name="country"
        label="Public holidays of"
        initial={calendar?.country}
        placeholder="FR"
        hint="A country (FR), a part of one (US-CA) or a market (XNYS); nothing for none."
      />
      <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
        <legend className="mb-1 font-medium">Days off each week</legend>
        {DAYS.map((title, day) => (
          <label key={title} className="flex items-center gap-2 max-sm:min-h-10">
            <input type="checkbox" checked={weekend.has(day)} onChange={() => flip(day)} />
            {title.slice(0, 3)}
          </label>
        ))}
      </fieldset>
      <Text
        name="off"
        label="More days off"
        rows={3}
        mono
        initial={calendar?.off.join("\n")}
        hint="Dates such as 2026-12-24, one per line."
      />
      <Text
        name="on"
        label="Days worked all the same"
        rows={2}
        mono
        initial={calendar?.on.join("\n")}
      />
    </FormDialog>
  );
}
