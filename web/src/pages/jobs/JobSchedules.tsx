import { useQuery } from "@tanstack/react-query";
import { CalendarDays, Plus } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { schedules, session } from "@/api/queries";
import type { JobDetail, Schedule } from "@/api/types";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { Card, Empty, ErrorPanel, Skeleton } from "@/ui/Panels";
import { EditSchedule } from "../schedules/EditSchedule";
import { ScheduleCard } from "../schedules/ScheduleCard";

export function JobSchedules({ job }: { job: JobDetail }) {
  const list = useList<Schedule>(schedules({ jobId: job.jobId }));
  const [isNew, setNew] = useState(false);
  const { data: who } = useQuery(session);
  const add = may(who, "create-schedule") && (
    <Button icon={<Plus className="size-3.5" />} onClick={() => setNew(true)}>
      New schedule
    </Button>
  );
  return (
    <div className="space-y-4">
      {list.loading && <Skeleton lines={6} />}
      {list.error && <ErrorPanel error={list.error} retry={() => void list.refetch()} />}
      {list.rows.map((each) => (
        <ScheduleCard key={each.name} schedule={each} />
      ))}
      {list.rows.length > 0 && add}
      {list.rows.length === 0 && !list.loading && !list.error && (
        <Card>
          <Empty icon={CalendarDays} title="No schedule fires this job" action={add}>
            Give it one in code, <code className="font-mono">schedule="0 6 * * *"</code>, or here.
          </Empty>
        </Card>
      )}
      {isNew && <EditSchedule job={job.name} onClose={() => setNew(false)} />}
    </div>
  );
}
