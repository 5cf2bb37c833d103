import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { History, Pencil } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { schedule as scheduleQuery } from "@/api/queries";
import type { Schedule } from "@/api/types";
import { sentence } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Card, Fact, Load } from "@/ui/Panels";
import { StateBadge, Tag } from "@/ui/State";
import { Time } from "@/ui/Time";
import { BackfillDialog } from "./BackfillDialog";
import { EditSchedule } from "./EditSchedule";
import { Firings } from "./Firings";
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
    <Card title={schedule.name} aside={<ScheduleTag schedule={schedule} />}>
      <ScheduleBody schedule={schedule} />
    </Card>
  );
}

export function ScheduleBody({ schedule }: { schedule: Schedule }) {
  const detail = useQuery(scheduleQuery(schedule.name));
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="space-y-4">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
          <Fact name="When">
            <code className="font-mono text-xs">{schedule.trigger}</code>
          </Fact>
          <Fact name="Zone">{schedule.zone}</Fact>
          <Fact name="Job">
            <Link to="/jobs/$id" params={{ id: schedule.job }} className="link">
              {schedule.job}
            </Link>
          </Fact>
          <Fact name="Next">
            <Time at={schedule.nextAt} planned />
          </Fact>
          <Fact name="Last">
            <Time at={schedule.lastAt} />{" "}
            {schedule.lastState && <StateBadge state={schedule.lastState} small />}
          </Fact>
          <Fact name="If one still runs">{inWords(OVERLAPS, schedule.overlap)}</Fact>
          <Fact name="If some were missed">{inWords(CATCHUPS, schedule.catchup)}</Fact>
        </dl>
        {schedule.note && <p className="rounded-md bg-sunken px-3 py-2">{schedule.note}</p>}
        <ScheduleActions schedule={schedule} />
      </div>
      <Load query={detail}>
        {(found) => (
          <Firings
            preview={{ description: found.description, zone: found.zone, firings: found.coming }}
          />
        )}
      </Load>
    </div>
  );
}

/** The whole definition is needed: what an edit leaves out would be forgotten. */
function EditExisting({ name, onClose }: { name: string; onClose: () => void }) {
  const query = useQuery(scheduleQuery(name));
  return query.data ? <EditSchedule schedule={query.data} onClose={onClose} /> : null;
}
