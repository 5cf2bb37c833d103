import { useQuery } from "@tanstack/react-query";
import { Cpu } from "lucide-react";
import { workers } from "@/api/queries";
import type { Worker } from "@/api/types";
import { count, plural } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { Actions } from "@/ui/Actions";
import { Name } from "@/ui/Name";
import { Empty, Load, PageHead, Progress } from "@/ui/Panels";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { OneWorker } from "./OneWorker";
import { WorkerTag } from "./WorkerTag";
import { crewInShort, someOf } from "./words";

/** Short runs are claimed in batches; those beyond the slots wait inside the worker. */
function aheadOf({ busy, slots }: Worker): string {
  return busy > slots ? `${plural(busy - slots, "run")} claimed ahead` : `${busy} of ${slots} busy`;
}

const COLUMNS: Column<Worker>[] = [
  {
    key: "host",
    title: "Worker",
    main: true,
    width: "minmax(0,1.3fr)",
    cell: (worker) => (
      <>
        <Name text={worker.name} className="font-medium" />
        <span className="block truncate text-xs text-ink-2">{`${worker.host}, process ${worker.pid}`}</span>
        <span className="num block truncate text-xs text-ink-2 sm:hidden">
          {aheadOf(worker)}, heard <Time at={worker.seenAt} ago />
        </span>
      </>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "6.5rem",
    cell: (worker) => <WorkerTag worker={worker} />,
  },
  {
    key: "slots",
    title: "Load",
    width: "12rem",
    from: "sm",
    cell: (worker) => (
      <span className="flex items-center gap-2">
        <span className="w-16">
          <Progress share={worker.load} label={`Busy slots of ${worker.name}`} />
        </span>
        <span className="num text-xs text-ink-2" title={aheadOf(worker)}>
          {`${Math.min(worker.busy, worker.slots)} of ${plural(worker.slots, "slot")}`}
          {worker.busy > worker.slots && ` +${count(worker.busy - worker.slots)}`}
        </span>
      </span>
    ),
  },
  {
    key: "queues",
    title: "Queues",
    width: "minmax(0,1.2fr)",
    from: "md",
    cell: (worker) => (
      <span className="text-ink-2" title={worker.queues.join(", ")}>
        {someOf(worker.queues)}
      </span>
    ),
  },
  {
    key: "version",
    title: "Version",
    width: "5rem",
    right: true,
    from: "lg",
    cell: (worker) => worker.version ?? "–",
  },
  {
    key: "started",
    title: "Started",
    width: "8.5rem",
    right: true,
    from: "xl",
    cell: (worker) => <Time at={worker.startedAt} />,
  },
  {
    key: "seen",
    title: "Heard from",
    width: "6rem",
    right: true,
    from: "sm",
    cell: (worker) => <Time at={worker.seenAt} ago />,
  },
  {
    key: "act",
    title: "",
    width: "var(--tap)",
    cell: (worker) => (
      <Actions compact subject="worker" item={worker} id={worker.id} name={worker.name} />
    ),
  },
];

export function Workers() {
  const query = useQuery(workers());
  const [search, setSearch] = useFilters();
  const all = query.data?.items ?? [];
  const open = all.find((each) => each.id === search.id);
  return (
    <>
      <PageHead title="Workers" about={all.length > 0 && crewInShort(all)} />
      <Load query={query}>
        {({ items }) => (
          <Table
            label="Workers"
            rows={items}
            columns={COLUMNS}
            rowHeight={60}
            narrowHeight={76}
            idOf={(worker) => worker.id}
            href={(worker) => `/workers?id=${worker.id}`}
            onOpen={(worker) => setSearch({ id: worker.id })}
            empty={
              <Empty icon={Cpu} title="No workers">
                Runs wait until one is there. Start it with{" "}
                <code className="font-mono">rota worker</code>; it appears here within seconds.
              </Empty>
            }
          />
        )}
      </Load>
      {open && <OneWorker worker={open} onClose={() => setSearch({ id: undefined })} />}
    </>
  );
}
