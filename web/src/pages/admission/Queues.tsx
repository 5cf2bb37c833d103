import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { queues } from "@/api/queries";
import type { Queue } from "@/api/types";
import { atLeast, count, plural } from "@/lib/format";
import { duration } from "@/lib/time";
import { Actions } from "@/ui/Actions";
import { Name } from "@/ui/Name";
import { Empty, Load, PageHead } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { type Column, Table } from "@/ui/Table";
import { Breakers } from "./Breakers";
import { Why } from "./Why";

/** For phones, where there is one column. */
export function inShort({ queued, isCut, running, oldestWaitMs, ratePerMin }: Queue): string {
  const oldest = oldestWaitMs == null ? "" : `, oldest ${duration(oldestWaitMs)}`;
  const parts = [
    queued > 0 && `${atLeast(queued, isCut)} waiting${oldest}`,
    running > 0 && `${count(running)} running`,
  ].filter(Boolean);
  return parts.join(" · ") || (ratePerMin ? `${count(ratePerMin)} finished a minute` : "Idle");
}

/** Nothing is quiet: what is there stands out. */
function Figure({ value, text }: { value: number; text?: string }) {
  return <span className={value ? "" : "text-ink-3"}>{text ?? count(value)}</span>;
}

const COLUMNS: Column<Queue>[] = [
  {
    key: "name",
    title: "Queue",
    main: true,
    width: "minmax(0,1.4fr)",
    cell: (queue) => (
      <>
        <span className="flex items-center gap-2">
          <Name text={queue.name} className="font-medium" />
          {queue.paused && <Tag>Paused</Tag>}
          {queue.held > 0 && <Tag mood="warn">{`${count(queue.held)} held back`}</Tag>}
        </span>
        <span className="block truncate text-xs text-ink-2 max-sm:hidden" title={queue.note ?? ""}>
          {queue.note}
        </span>
        <span className="num block truncate text-xs text-ink-2 sm:hidden">{inShort(queue)}</span>
      </>
    ),
  },
  {
    key: "queued",
    title: "Waiting",
    width: "5rem",
    right: true,
    from: "sm",
    cell: (queue) => (
      <b className="font-semibold">
        <Figure value={queue.queued} text={atLeast(queue.queued, queue.isCut)} />
      </b>
    ),
  },
  {
    key: "wait",
    title: "Oldest wait",
    width: "6rem",
    right: true,
    from: "sm",
    cell: (queue) => <Figure value={queue.oldestWaitMs ?? 0} text={duration(queue.oldestWaitMs)} />,
  },
  {
    key: "running",
    title: "Running",
    width: "5rem",
    right: true,
    from: "sm",
    cell: (queue) => <Figure value={queue.running} />,
  },
  {
    key: "slots",
    title: "Slots",
    width: "6rem",
    right: true,
    from: "sm",
    cell: (queue) => <Slots queue={queue} />,
  },
  {
    key: "rate",
    title: "Finished/min",
    width: "7rem",
    right: true,
    from: "md",
    cell: (queue) => <Figure value={queue.ratePerMin} />,
  },
  {
    key: "scheduled",
    title: "Scheduled",
    width: "6rem",
    right: true,
    from: "lg",
    cell: (queue) => <Figure value={queue.scheduled} />,
  },
  {
    key: "why",
    title: "",
    width: "4rem",
    right: true,
    cell: (queue) => <Why queue={queue} />,
  },
  {
    key: "act",
    title: "",
    width: "var(--tap)",
    cell: (queue) => (
      <Actions compact subject="queue" item={queue} id={queue.name} name={queue.name} />
    ),
  },
];

/** How many of its runs could go on at once: all slots of those who serve it. */
function Slots({ queue }: { queue: Queue }) {
  if (!queue.workers)
    return <span className={queue.queued ? "text-bad" : "text-ink-3"}>no worker</span>;
  return (
    <span
      title={`Of ${plural(queue.workers, "worker")}; other queues may share them. Open it to see.`}
    >
      {count(queue.slots)}
    </span>
  );
}

export function Queues() {
  const navigate = useNavigate();
  const query = useQuery(queues());
  return (
    <>
      <PageHead
        title="Queues"
        about="Where runs wait for a free slot of a worker. Open one for its limits, waits and rates."
      />
      <Load query={query}>
        {({ items }) => (
          <Table
            label="Queues"
            rows={items}
            columns={COLUMNS}
            rowHeight={56}
            idOf={(queue) => queue.name}
            href={(queue) => `/queues/${encodeURIComponent(queue.name)}`}
            onOpen={(queue) => void navigate({ to: "/queues/$name", params: { name: queue.name } })}
            empty={
              <Empty icon={Layers} title="No queues yet">
                A queue is here while runs are in it or a worker serves it. Start one with{" "}
                <code className="font-mono">rota up</code>.
              </Empty>
            }
          />
        )}
      </Load>
      <Breakers />
    </>
  );
}
