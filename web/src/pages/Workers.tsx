import { useQuery } from "@tanstack/react-query";
import { Cpu } from "lucide-react";
import { workers } from "@/api/queries";
import type { Worker } from "@/api/types";
import { count, percent, plural } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Name } from "@/ui/Name";
import { Empty, Load, PageHead, Progress } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";

function WorkerTag({ worker }: { worker: Worker }) {
  if (!worker.alive) return <Tag mood="bad">Silent</Tag>;
  return worker.draining ? <Tag mood="warn">Draining</Tag> : <Tag mood="ok">Alive</Tag>;
}

/** Short runs are claimed in batches; those beyond the slots wait inside the worker. */
function aheadOf({ busy, slots }: Worker): string {
  return busy > slots ? `${plural(busy - slots, "run")} claimed ahead` : `${busy} of ${slots} busy`;
}

const COLUMNS: Column<Worker>[] = [
  {
    key: "host",
    title: "Worker",
    width: "minmax(0,1.3fr)",
    cell: (worker) => (
      <>
        <Name text={worker.name} className="font-medium" />
        <span className="block truncate font-mono text-2xs text-ink-3">{`${worker.host}, pid ${worker.pid}`}</span>
        <span className="num block truncate text-2xs text-ink-2 sm:hidden">
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
    title: "Slots",
    width: "10rem",
    from: "sm",
    cell: (worker) => (
      <span className="flex items-center gap-2">
        <span className="w-16">
          <Progress
            share={worker.slots ? worker.busy / worker.slots : 0}
            label={`Busy slots of ${worker.host}`}
          />
        </span>
        <span className="num text-xs text-ink-2" title={aheadOf(worker)}>
          {`${Math.min(worker.busy, worker.slots)} of ${worker.slots}`}
          {worker.busy > worker.slots && ` +${count(worker.busy - worker.slots)}`}
        </span>
      </span>
    ),
  },
  {
    key: "queues",
    title: "Queues",
    width: "minmax(0,1fr)",
    from: "md",
    cell: (worker) => <span className="text-ink-2">{worker.queues.join(", ")}</span>,
  },
  {
    key: "load",
    title: "Load",
    width: "4.5rem",
    right: true,
    from: "lg",
    cell: (worker) => percent(Math.min(1, worker.load ?? 0)),
  },
  {
    key: "version",
    title: "Version",
    width: "5rem",
    right: true,
    from: "xl",
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
    width: "2rem",
    cell: (worker) => (
      <Actions
        compact
        subject="worker"
        item={worker}
        id={worker.id}
        name={`${worker.host} (pid ${worker.pid})`}
      />
    ),
  },
];

export function Workers() {
  const query = useQuery(workers());
  return (
    <>
      <PageHead title="Workers" />
      <Load query={query}>
        {({ items }) => (
          <Table
            label="Workers"
            rows={items}
            columns={COLUMNS}
            rowHeight={60}
            idOf={(worker) => worker.id}
            empty={
              <Empty icon={Cpu} title="No workers">
                Start one with <code className="font-mono">rota worker</code>; it appears here
                within seconds.
              </Empty>
            }
          />
        )}
      </Load>
    </>
  );
}
