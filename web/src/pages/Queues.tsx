import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { breakers, queues } from "@/api/queries";
import type { Queue } from "@/api/types";
import { atLeast, count, plural, sentence } from "@/lib/format";
import { duration } from "@/lib/time";
import { Actions } from "@/ui/Actions";
import { Name } from "@/ui/Name";
import { Card, Empty, Load, PageHead } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { Why } from "./queue/Why";

/** For phones, where there is one column. */
function waitingIn({ queued, running, oldestWaitMs }: Queue): string {
  if (!queued) return `${count(running)} running`;
  const oldest = oldestWaitMs == null ? "" : `, oldest ${duration(oldestWaitMs)}`;
  return `${count(queued)} waiting${oldest}`;
}

const COLUMNS: Column<Queue>[] = [
  {
    key: "name",
    title: "Queue",
    width: "minmax(0,1.4fr)",
    cell: (queue) => (
      <>
        <span className="flex items-center gap-2">
          <Name text={queue.name} className="font-medium" />
          {queue.paused && <Tag>Paused</Tag>}
        </span>
        <span className="block truncate text-xs text-ink-2 max-sm:hidden" title={queue.note ?? ""}>
          {queue.note}
        </span>
        <span className="num block truncate text-xs text-ink-2 sm:hidden">{waitingIn(queue)}</span>
      </>
    ),
  },
  {
    key: "queued",
    title: "Queued",
    width: "5rem",
    right: true,
    from: "sm",
    cell: (queue) => <b className="font-semibold">{atLeast(queue.queued, queue.isCut)}</b>,
  },
  {
    key: "running",
    title: "Running, at most",
    width: "8rem",
    right: true,
    from: "sm",
    cell: (queue) => <Busy queue={queue} />,
  },
  {
    key: "scheduled",
    title: "Scheduled",
    width: "6rem",
    right: true,
    from: "md",
    cell: (queue) => count(queue.scheduled),
  },
  {
    key: "wait",
    title: "Oldest wait",
    width: "6rem",
    right: true,
    from: "sm",
    cell: (queue) => duration(queue.oldestWaitMs),
  },
  {
    key: "rate",
    title: "Finished/min",
    width: "7rem",
    right: true,
    from: "md",
    cell: (queue) => count(queue.ratePerMin),
  },
  {
    key: "held",
    title: "Held back",
    width: "6rem",
    right: true,
    from: "lg",
    cell: (queue) => count(queue.held),
  },
  {
    key: "why",
    title: "Reasons",
    width: "4rem",
    right: true,
    cell: (queue) => <Why queue={queue} />,
  },
  {
    key: "act",
    title: "",
    width: "2rem",
    cell: (queue) => (
      <Actions compact subject="queue" item={queue} id={queue.name} name={queue.name} />
    ),
  },
];

/** How many run, and how many could: the slots of all workers that serve the queue. */
function Busy({ queue }: { queue: Queue }) {
  const who = queue.workers ? `${plural(queue.workers, "worker")} serve it` : "no worker serves it";
  return (
    <span title={`${plural(queue.slots, "slot")}: ${who}`}>
      {count(queue.running)}
      {queue.workers ? (
        <span className="text-ink-2">{` of ${count(queue.slots)}`}</span>
      ) : (
        <span className="text-bad">, no worker</span>
      )}
    </span>
  );
}

export function Queues() {
  const navigate = useNavigate();
  const query = useQuery(queues());
  return (
    <>
      <PageHead title="Queues" />
      <Load query={query}>
        {({ items }) => (
          <Table
            label="Queues"
            rows={items}
            columns={COLUMNS}
            rowHeight={56}
            idOf={(queue) => queue.name}
            onOpen={(queue) =>
              void navigate({
                to: "/runs",
                search: { queue: queue.name, status: "queued" } as never,
              })
            }
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

function Breakers() {
  const query = useQuery(breakers());
  if (!query.data?.items.length) return null;
  return (
    <Card title="Breakers" flush className="mt-5">
      <ul className="divide-y divide-line">
        {query.data.items.map((each) => (
          <li key={each.job} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
            <span className="min-w-32 flex-1 font-medium">{each.job}</span>
            {each.rule && <span className="text-xs text-ink-2">{each.rule}</span>}
            {each.openedAt && (
              <span className="text-ink-2">
                since <Time at={each.openedAt} />
              </span>
            )}
            <Tag mood={each.state === "closed" ? "ok" : "bad"}>{sentence(each.state)}</Tag>
            <Actions compact subject="breaker" item={each} id={each.job} name={each.job} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
