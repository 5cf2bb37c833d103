import { useQuery } from "@tanstack/react-query";
import { CalendarDays, Plus } from "lucide-react";
import { may } from "@/api/actions";
import { schedule as scheduleQuery, schedules, session } from "@/api/queries";
import type { Schedule } from "@/api/types";
import { sentence } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { useAllPages, useList } from "@/lib/useList";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ListTable } from "@/ui/ListTable";
import { Name } from "@/ui/Name";
import { Empty, Load, PageHead } from "@/ui/Panels";
import { SearchField } from "@/ui/SearchField";
import { StateBadge } from "@/ui/State";
import type { Column } from "@/ui/Table";
import { Tabs, tabOf } from "@/ui/Tabs";
import { Time } from "@/ui/Time";
import { Backfills } from "./Backfills";
import { Blackouts } from "./Blackouts";
import { Calendars } from "./Calendars";
import { EditSchedule } from "./EditSchedule";
import { ScheduleBody, ScheduleTag, textOf } from "./ScheduleCard";
import { Week } from "./Week";

const COLUMNS: Column<Schedule>[] = [
  {
    key: "name",
    title: "Schedule",
    main: true,
    width: "minmax(0,1.2fr)",
    cell: (each) => (
      <>
        <span className="flex items-baseline gap-3">
          <Name text={each.name} className="flex-1 font-medium" />
          <span className="text-xs sm:hidden">
            <Time at={each.nextAt} planned none={noneOf(each)} />
          </span>
        </span>
        {each.job !== each.name && (
          <Name text={each.job} className="text-xs text-ink-3 max-md:hidden" />
        )}
        <span className="block truncate text-xs text-ink-2 md:hidden">{each.description}</span>
      </>
    ),
  },
  {
    key: "when",
    title: "When",
    width: "minmax(0,1.6fr)",
    from: "md",
    cell: (each) => (
      <>
        <span className="block truncate" title={each.description}>
          {each.description}
        </span>
        <span className="block truncate font-mono text-2xs text-ink-3">{textOf(each)}</span>
      </>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "6.5rem",
    from: "sm",
    cell: (each) => <ScheduleTag schedule={each} />,
  },
  {
    key: "last",
    title: "Last",
    width: "7.5rem",
    from: "lg",
    cell: (each) => (each.lastState ? <StateBadge state={each.lastState} small /> : "–"),
  },
  {
    key: "next",
    title: "Next firing",
    width: "9.5rem",
    right: true,
    from: "sm",
    cell: (each) => (
      <Time at={each.nextAt} planned due={each.state === "active"} none={noneOf(each)} />
    ),
  },
  {
    key: "act",
    title: "",
    width: "var(--tap)",
    from: "sm",
    cell: (each) => (
      <Actions compact subject="schedule" item={each} id={each.name} name={each.name} />
    ),
  },
];

/** Why there is no next firing. */
function noneOf({ state }: Schedule): string {
  return state === "active" ? "None ahead" : sentence(state);
}

const TABS = [
  { key: "list", title: "Schedules" },
  { key: "week", title: "Week" },
  { key: "backfills", title: "Backfills" },
  { key: "calendars", title: "Calendars" },
  { key: "windows", title: "Maintenance" },
];

export function Schedules() {
  const [search, setSearch] = useFilters();
  const who = useQuery(session);
  const mayAdd = may(who.data, "create-schedule");
  const tab = tabOf(TABS, search.tab);
  return (
    <>
      <PageHead
        title="Schedules"
        actions={
          mayAdd && (
            <Button
              tone="primary"
              icon={<Plus className="size-3.5" />}
              onClick={() => setSearch({ new: "schedule" })}
            >
              New schedule
            </Button>
          )
        }
      />
      <Tabs label="Views of schedules" tabs={TABS} current={tab}>
        {tab === "list" && <List onOpen={(each) => setSearch({ edit: each.name })} />}
        {tab === "week" && <Week />}
        {tab === "backfills" && <Backfills />}
        {tab === "calendars" && <Calendars />}
        {tab === "windows" && <Blackouts />}
      </Tabs>
      {search.new && mayAdd && <EditSchedule onClose={() => setSearch({ new: undefined })} />}
      {search.edit && <One name={search.edit} onClose={() => setSearch({ edit: undefined })} />}
    </>
  );
}

function List({ onOpen }: { onOpen: (each: Schedule) => void }) {
  const [search, setSearch] = useFilters();
  const list = useList<Schedule>(schedules());
  const wanted = (search.q ?? "").toLowerCase();
  const rows = list.rows.filter(({ name, job }) => `${name} ${job}`.toLowerCase().includes(wanted));
  useAllPages(list, wanted !== "");
  return (
    <>
      <div className="mb-3 flex">
        <SearchField
          label="Search schedules"
          className="min-w-48 flex-1"
          value={search.q}
          onChange={(q) => setSearch({ q })}
        />
      </div>
      <ListTable
        label="Schedules"
        list={list}
        rows={rows}
        columns={COLUMNS}
        rowHeight={52}
        idOf={(each) => each.name}
        href={(each) => `/schedules?edit=${encodeURIComponent(each.name)}`}
        onOpen={onOpen}
        empty={<NoSchedules isFiltered={wanted !== ""} />}
      />
    </>
  );
}

function NoSchedules({ isFiltered }: { isFiltered: boolean }) {
  const { data: who } = useQuery(session);
  if (isFiltered) {
    return (
      <Empty icon={CalendarDays} title="No schedule fits">
        Its name and that of its job are looked at.
      </Empty>
    );
  }
  return (
    <Empty icon={CalendarDays} title="No schedules yet">
      Add <code className="font-mono">schedule="0 6 * * mon-fri"</code> to a job in code
      {may(who, "create-schedule")
        ? ", apply a job file, or choose New schedule."
        : " or apply a job file."}
    </Empty>
  );
}

function One({ name, onClose }: { name: string; onClose: () => void }) {
  const query = useQuery(scheduleQuery(name));
  return (
    <Dialog open wide title={name} onClose={onClose}>
      <Load query={query}>{(each) => <ScheduleBody schedule={each} />}</Load>
    </Dialog>
  );
}
