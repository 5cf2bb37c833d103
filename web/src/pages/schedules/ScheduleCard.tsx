import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { History, Pencil } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { schedule as scheduleQuery } from "@/api/queries";
import type { Schedule } from "@/api/types";
import { capitalise, count, plural, sentence } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Card, Fact, Load } from "@/ui/Panels";
import { StateBadge, Tag } from "@/ui/State";
import { Time } from "@/ui/Time";
import { originOf } from "../jobs/origin";
import { BackfillDialog } from "./BackfillDialog";
import { EditSchedule } from "./EditSchedule";
import { Firings } from "./Firings";
import { PastFirings } from "./PastFirings";
import { CATCHUPS, inWords, OVERLAPS } from "./words";

export function ScheduleTag({ schedule }: { schedule: Schedule }) {
  const isActive = schedule.state === "active";
  return <Tag mood={isActive ? "ok" : "idle"}>{sentence(schedule.state)}</Tag>;
}

export function ScheduleActions({ schedule }: { schedule: Schedule }) {
  const [dialog, setDialog] = useState<"edit" | "backfill" | null>(null);
  return (
    <div className="flex flex-wrap gap-2">
      {may(schedule, "edit") && (
        <Button icon={<Pencil className="size-3.5" />} onClick={() => setDialog("edit")}>
          Edit
        </Button>
      )}
      {may(schedule, "backfill") && (
        <Button icon={<History className="size-3.5" />} onClick={() => setDialog("backfill")}>
          Backfill
        </Button>
      )}
      <Actions subject="schedule" item={schedule} id={schedule.name} name={schedule.name} />
      {dialog === "edit" && <EditExisting name={schedule.name} onClose={() => setDialog(null)} />}
      {dialog === "backfill" && (
        <BackfillDialog schedule={schedule} onClose={() => setDialog(null)} />
      )}
    </div>
  );
}

export function ScheduleCard({ schedule }: { schedule: Schedule }) {
  return (
    <Card title={schedule.name}>
      <ScheduleBody schedule={schedule} />
    </Card>
  );
}

export function ScheduleBody({ schedule }: { schedule: Schedule }) {
  const detail = useQuery(scheduleQuery(schedule.name));
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="space-y-4">
        <Facts schedule={schedule} />
        {schedule.note && <p className="rounded-md bg-sunken px-3 py-2">{schedule.note}</p>}
        <ScheduleActions schedule={schedule} />
      </div>
      <Load query={detail}>
        {(found) => (
          <Firings
            title="Next firings"
            preview={{ description: found.description, zone: found.zone, firings: found.coming }}
            isPaused={schedule.state !== "active"}
          />
        )}
      </Load>
      <PastFirings schedule={schedule} />
    </div>
  );
}

function Facts({ schedule }: { schedule: Schedule }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
      <Fact name="State">
        <ScheduleTag schedule={schedule} />
      </Fact>
      <Fact name="When">
        {schedule.description}
        <code className="block font-mono text-xs text-ink-2">{textOf(schedule)}</code>
      </Fact>
      <Fact name="Job">
        <Link to="/jobs/$id" params={{ id: schedule.job }} className="link">
          {schedule.job}
        </Link>
      </Fact>
      <Fact name="Next">
        <Time at={schedule.nextAt} planned due={schedule.state === "active"} />
      </Fact>
      <Fact name="Last">
        <Last schedule={schedule} />
      </Fact>
      <Fact name="So far">{countsOf(schedule)}</Fact>
      <Fact name="If the last run still runs">{inWords(OVERLAPS, schedule.overlap)}</Fact>
      <Fact name="If a firing was missed">{inWords(CATCHUPS, schedule.catchup)}</Fact>
      <Fact name="Defined">{originOf(schedule.origin)}</Fact>
    </dl>
  );
}

/** As it was written; the zone too, unless the words above say it. */
export function textOf({ trigger, zone, description }: Schedule): string {
  return description.includes(zone) ? trigger : `${trigger} · ${zone}`;
}

/** One that people have only started by hand has no last instant of its own. */
function Last({ schedule }: { schedule: Schedule }) {
  const { lastAt, lastEndedAt, lastState, lastExecutionId } = schedule;
  const badge = lastState && <StateBadge state={lastState} small />;
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Time at={lastAt ?? lastEndedAt} none={lastState ? "" : "Not yet"} />
      {lastExecutionId ? (
        <Link to="/runs/$id" params={{ id: lastExecutionId }} title="Open the run">
          {badge}
        </Link>
      ) : (
        badge
      )}
    </span>
  );
}

/** "Fired 12 times, 2 missed, 1 left out"; what did not happen is not told. */
export function countsOf(counts: Pick<Schedule, "fired" | "missed" | "skipped">): string {
  const { fired, missed, skipped } = counts;
  const parts = [
    fired ? `fired ${plural(fired, "time")}` : "never fired",
    missed && `${count(missed)} missed`,
    skipped && `${count(skipped)} left out`,
  ];
  return capitalise(parts.filter(Boolean).join(", "));
}

/** The whole definition is needed: what an edit leaves out would be forgotten. */
function EditExisting({ name, onClose }: { name: string; onClose: () => void }) {
  const query = useQuery(scheduleQuery(name));
  if (query.data) return <EditSchedule schedule={query.data} onClose={onClose} />;
  return (
    <Dialog open title={`Edit ${name}`} onClose={onClose}>
      <Load query={query}>{() => null}</Load>
    </Dialog>
  );
}
