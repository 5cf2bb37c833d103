import { useQuery } from "@tanstack/react-query";
import { HeartPulse, Plus } from "lucide-react";
import { may } from "@/api/actions";
import { monitors, session } from "@/api/queries";
import type { Monitor } from "@/api/types";
import { useFilters } from "@/lib/useFilters";
import { useAllPages, useList } from "@/lib/useList";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { ListTable } from "@/ui/ListTable";
import { Name } from "@/ui/Name";
import { Empty, PageHead } from "@/ui/Panels";
import { SearchField } from "@/ui/SearchField";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { MonitorForm } from "./MonitorForm";
import { MonitorTag } from "./MonitorTag";
import { OneMonitor } from "./OneMonitor";
import { PingStrip } from "./PingStrip";

const COLUMNS: Column<Monitor>[] = [
  {
    key: "name",
    title: "Monitor",
    main: true,
    width: "minmax(0,1.3fr)",
    cell: (each) => (
      <>
        <Name text={each.name} className="font-medium" />
        <span className="block truncate text-xs text-ink-2" title={each.reason ?? each.note}>
          {each.reason ?? each.note}
          {!each.reason && !each.note && <span className="lg:hidden">{each.description}</span>}
        </span>
      </>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "6rem",
    cell: (each) => <MonitorTag monitor={each} />,
  },
  {
    key: "expects",
    title: "Expects",
    width: "minmax(0,1fr)",
    from: "lg",
    cell: (each) => (
      <>
        <span className="block truncate" title={each.description}>
          {each.description}
        </span>
        <span className="block truncate text-xs text-ink-2">{`${each.grace} of grace`}</span>
      </>
    ),
  },
  {
    key: "recent",
    title: "Newest pings",
    width: "10rem",
    from: "md",
    cell: (each) => <PingStrip monitor={each} />,
  },
  {
    key: "last",
    title: "Last ping",
    width: "7rem",
    right: true,
    from: "sm",
    cell: (each) => <Time at={each.lastAt} ago none="never" />,
  },
  {
    key: "next",
    title: "Next ping",
    width: "9.5rem",
    right: true,
    from: "md",
    cell: (each) => <Time at={each.expectedAt} planned none="Not expected" />,
  },
  {
    key: "act",
    title: "",
    width: "var(--tap)",
    from: "sm",
    cell: (each) => (
      <Actions compact subject="monitor" item={each} id={each.name} name={each.name} />
    ),
  },
];

/** Foreign cron jobs: which of them have told that they ran, and which have not. */
export function Monitors() {
  const [search, setSearch] = useFilters();
  const { data: who } = useQuery(session);
  const mayAdd = may(who, "create-monitor");
  return (
    <>
      <PageHead
        title="Monitors"
        about="Cron jobs of other machines ping an address; a missing ping is an alert."
        actions={
          mayAdd && (
            <Button
              tone="primary"
              icon={<Plus className="size-3.5" />}
              onClick={() => setSearch({ new: "monitor" })}
            >
              New monitor
            </Button>
          )
        }
      />
      <List onOpen={(each) => setSearch({ id: each.name })} />
      {search.new && mayAdd && (
        <MonitorForm
          onClose={() => setSearch({ new: undefined })}
          onMade={(name) => setSearch({ new: undefined, id: name })}
        />
      )}
      {search.id && <OneMonitor name={search.id} onClose={() => setSearch({ id: undefined })} />}
    </>
  );
}

function List({ onOpen }: { onOpen: (each: Monitor) => void }) {
  const [search, setSearch] = useFilters();
  const list = useList<Monitor>(monitors());
  const wanted = (search.q ?? "").toLowerCase();
  const rows = list.rows.filter(({ name, note }) =>
    `${name} ${note}`.toLowerCase().includes(wanted),
  );
  useAllPages(list, wanted !== "");
  return (
    <>
      <div className="mb-3 flex">
        <SearchField
          label="Search monitors"
          className="min-w-48 flex-1"
          value={search.q}
          onChange={(q) => setSearch({ q })}
        />
      </div>
      <ListTable
        label="Monitors"
        list={list}
        rows={rows}
        columns={COLUMNS}
        rowHeight={56}
        idOf={(each) => each.name}
        href={(each) => `/monitors?id=${encodeURIComponent(each.name)}`}
        onOpen={onOpen}
        empty={
          wanted ? (
            <Empty icon={HeartPulse} title="No monitor fits">
              Its name and its note are looked at.
            </Empty>
          ) : (
            <Empty icon={HeartPulse} title="No monitors yet">
              A monitor has an address that a cron job pings when it has ended. If the ping does not
              come, people are told.
            </Empty>
          )
        }
      />
    </>
  );
}
