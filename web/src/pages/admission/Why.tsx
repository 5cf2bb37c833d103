import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { runs, why, workers } from "@/api/queries";
import type { Queue, Run, Worker } from "@/api/types";
import { atLeast, count, plural } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorPanel, Load, Skeleton } from "@/ui/Panels";

/** From a queue in which runs wait to what they wait for. */
export function Why({ queue }: { queue: Queue }) {
  const [search, setSearch] = useFilters();
  const isOpen = search.why === queue.name;
  if (!queue.queued) return null;
  return (
    <>
      <Button
        tone="quiet"
        aria-label={`Why do runs wait in ${queue.name}?`}
        onClick={() => setSearch({ why: queue.name })}
      >
        Why?
      </Button>
      {isOpen && (
        <Dialog
          open
          title={`Why do runs wait in ${queue.name}?`}
          onClose={() => setSearch({ why: undefined })}
        >
          <Reasons queue={queue} />
        </Dialog>
      )}
    </>
  );
}

/** What keeps these runs, and how many each of it. */
export function obstaclesOf(waiting: Run[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { obstacle } of waiting)
    if (obstacle) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

export function Reasons({ queue }: { queue: Queue }) {
  const list = useList<Run>(runs({ queue: queue.name, status: "queued", limit: 100 }));
  const crew = useQuery(workers());
  if (list.error) return <ErrorPanel error={list.error} retry={() => void list.refetch()} />;
  if (list.loading) return <Skeleton lines={3} />;
  const [one] = list.rows;
  const obstacles = obstaclesOf(list.rows);
  return (
    <div className="space-y-4">
      {queue.queued > list.rows.length && (
        <p className="text-ink-2">{`Of the newest ${count(list.rows.length)}:`}</p>
      )}
      <ul className="space-y-2">
        {obstacles.map(([says, many]) => (
          <li key={says} className="flex gap-3">
            <b className="num w-8 shrink-0 text-right">{count(many)}</b>
            <span className="min-w-0 break-words">{says}</span>
          </li>
        ))}
        <li>
          <Load query={crew} lines={1}>
            {({ items }) => <p>{crewOf(queue.name, items)}</p>}
          </Load>
        </li>
      </ul>
      {one && <Newest run={one} told={obstacles.map(([says]) => says)} />}
      <p>
        <Link to="/runs" search={{ queue: queue.name, status: "queued" } as never} className="link">
          {queue.queued === 1
            ? "The run that waits"
            : `The ${atLeast(queue.queued, queue.isCut)} runs that wait`}
        </Link>
        {" · "}
        <Link to="/workers" className="link">
          Workers
        </Link>
      </p>
    </div>
  );
}

/** What else is known of the newest: how many are ahead of it, when it may start. */
function Newest({ run, told }: { run: Run; told: string[] }) {
  const query = useQuery(why(run.executionId));
  const isNew = ({ says }: { says: string }) => !told.includes(says);
  if (query.data && told.length > 0 && !query.data.items.some(isNew)) return null;
  return (
    <div className="rounded-md bg-sunken px-3 py-2">
      <p className="mb-1 text-xs text-ink-2">
        The newest of them,{" "}
        <Link to="/runs/$id" params={{ id: run.executionId }} className="link">
          {run.jobId}
        </Link>
        :
      </p>
      <Load query={query} lines={1}>
        {({ items }) =>
          items.length ? (
            <ul className="space-y-1">
              {items.filter(isNew).map((reason) => (
                <li key={reason.says} className="break-words">
                  {reason.says}
                </li>
              ))}
            </ul>
          ) : (
            <p>Nothing holds it back; a worker takes it next.</p>
          )
        }
      </Load>
    </div>
  );
}

/** Who serves a queue, and whether they have room. */
export function crewOf(queue: string, all: Worker[]): string {
  const crew = all.filter((each) => each.alive && each.queues.includes(queue));
  if (crew.length === 0) return "No worker that is alive serves this queue.";
  const slots = crew.reduce((sum, each) => sum + each.slots, 0);
  const busy = crew.reduce((sum, each) => sum + Math.min(each.busy, each.slots), 0);
  const draining = crew.filter((each) => each.draining).length;
  return `${plural(crew.length, "worker")} serve${crew.length === 1 ? "s" : ""} it: ${busy} of ${plural(slots, "slot")} busy${draining ? `, ${draining} draining` : ""}.`;
}
