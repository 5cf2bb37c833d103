import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { queue as queueQuery, workers } from "@/api/queries";
import type { QueueDetail, Worker } from "@/api/types";
import { atLeast, count, percent, plural } from "@/lib/format";
import { duration } from "@/lib/time";
import { Actions } from "@/ui/Actions";
import { buttonClass } from "@/ui/Button";
import { Chart } from "@/ui/Chart";
import { Name } from "@/ui/Name";
import { Card, Empty, Load, PageHead, Progress } from "@/ui/Panels";
import { Stat } from "@/ui/Stat";
import { Tag } from "@/ui/State";
import { WorkerTag } from "../workers/WorkerTag";
import { Limits } from "./Limits";
import { Reasons } from "./Why";

/** One queue: what waits, how fast it goes, what bounds it and who serves it. */
export function QueuePage() {
  const { name = "" } = useParams({ strict: false });
  const query = useQuery(queueQuery(name));
  return (
    <>
      <PageHead
        name={name}
        title={
          <>
            <span className="min-w-0 break-words">{name}</span>
            {query.data?.paused && <Tag>Paused</Tag>}
          </>
        }
        about={query.data?.note && <p className="break-words">{query.data.note}</p>}
        actions={
          <>
            <Link to="/runs" search={{ queue: name } as never} className={buttonClass()}>
              Runs
            </Link>
            {query.data && <Actions subject="queue" item={query.data} id={name} name={name} />}
          </>
        }
      />
      <Load query={query}>{(queue) => <Facts queue={queue} />}</Load>
    </>
  );
}

function Facts({ queue }: { queue: QueueDetail }) {
  return (
    <div className="space-y-4">
      <Stats queue={queue} />
      <div className="grid items-start gap-4 xl:grid-cols-3">
        {/* On a phone one column: what stops it, why, who serves it, then the chart. */}
        <div className="min-w-0 max-xl:contents xl:col-span-2 xl:space-y-4">
          {queue.queued > 0 && (
            <Card title="Why do runs wait?" className="max-xl:order-2">
              <Reasons queue={queue} />
            </Card>
          )}
          <Card
            title="Finished runs"
            aside="each minute of the last hour"
            className="max-xl:order-4"
          >
            <Finished queue={queue} />
          </Card>
        </div>
        <div className="min-w-0 max-xl:contents xl:space-y-4">
          <Limits limits={queue.limits} className="max-xl:order-1" />
          <Crew queue={queue.name} />
        </div>
      </div>
    </div>
  );
}

function Stats({ queue }: { queue: QueueDetail }) {
  const { waits, durations, successRate } = queue;
  const at = { queue: queue.name };
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        name="Waiting"
        value={atLeast(queue.queued, queue.isCut)}
        more={
          queue.oldestWaitMs == null
            ? `${plural(queue.scheduled, "run")} scheduled for later`
            : `the oldest for ${duration(queue.oldestWaitMs)}`
        }
        to="/runs"
        search={{ ...at, status: "queued" }}
      />
      <Stat
        name="Running"
        value={count(queue.running)}
        more={queue.workers ? `${plural(queue.slots, "slot")} in all` : "no worker serves it"}
        alarm={queue.workers === 0 && queue.queued > 0}
        to="/runs"
        search={{ ...at, status: "running" }}
      />
      <Stat
        name="Wait, 95th percentile"
        value={duration(waits.p95Ms)}
        more={
          waits.p50Ms == null
            ? "nothing started in the last hour"
            : `median ${duration(waits.p50Ms)}`
        }
      />
      <Stat
        name="Finished a minute"
        value={count(queue.ratePerMin)}
        more={
          successRate == null
            ? "in the last 10 minutes"
            : `${percent(successRate)} went well; median ${duration(durations.p50Ms)}`
        }
        to="/runs"
        search={{ ...at, status: "failed" }}
      />
    </div>
  );
}

function Finished({ queue: { buckets } }: { queue: QueueDetail }) {
  return (
    <Chart
      label="Runs that ended well, failed or were given up, each minute"
      stacked
      times={buckets.map((each) => each.at)}
      show={count}
      series={[
        { label: "Success", colour: "ok-fill", values: buckets.map((each) => each.success) },
        { label: "Failed", colour: "bad-fill", values: buckets.map((each) => each.failed) },
        {
          label: "Cancelled or skipped",
          colour: "idle-fill",
          values: buckets.map((each) => each.cancelled + each.skipped),
        },
      ]}
    />
  );
}

function Crew({ queue }: { queue: string }) {
  const query = useQuery(workers());
  const serving = ({ queues }: Worker) => queues.includes(queue);
  return (
    <Card
      title="Workers"
      flush
      className="max-xl:order-3"
      aside={
        <Link to="/workers" className="link">
          All
        </Link>
      }
    >
      <Load query={query}>
        {({ items }) =>
          items.some(serving) ? (
            <ul className="divide-y divide-line">
              {items.filter(serving).map((each) => (
                <li key={each.id} className="flex items-center gap-3 px-4 py-2.5">
                  <Name text={each.name} className="flex-1 font-medium" />
                  {(!each.alive || each.draining) && <WorkerTag worker={each} />}
                  <span className="w-16 shrink-0">
                    <Progress share={each.load} label={`Busy slots of ${each.name}`} />
                  </span>
                  <span className="num w-14 shrink-0 text-right text-xs text-ink-2">
                    {`${Math.min(each.busy, each.slots)} of ${each.slots}`}
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <Empty title="No worker serves it">
              Start one with <code className="font-mono">rota worker --queues {queue}</code>.
            </Empty>
          )
        }
      </Load>
    </Card>
  );
}
