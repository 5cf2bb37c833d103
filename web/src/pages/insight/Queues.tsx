import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { queues } from "@/api/queries";
import { atLeast } from "@/lib/format";
import { duration } from "@/lib/time";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { Tag } from "@/ui/State";

const SHOWN = 6;

/** Where runs wait: the deepest queues first. */
export function Queues({ className }: { className?: string }) {
  const query = useQuery(queues());
  return (
    <Card
      title="Queues"
      className={className ?? ""}
      flush
      aside={
        <Link to="/queues" className="link">
          All
        </Link>
      }
    >
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Layers} title="No run waits">
              A queue is here while it holds runs.
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {[...items]
                .sort((a, b) => b.queued - a.queued)
                .slice(0, SHOWN)
                .map((queue) => (
                  <li key={queue.name}>
                    <Link
                      to="/queues/$name"
                      params={{ name: queue.name }}
                      className="flex items-center gap-3 px-4 py-2.5 hover:bg-sunken"
                    >
                      <span className="flex min-w-0 flex-1 items-center gap-2">
                        <Name text={queue.name} className="font-medium" />
                        {queue.paused && <Tag>Paused</Tag>}
                        {queue.queued > 0 && queue.workers === 0 && <Tag mood="bad">No worker</Tag>}
                      </span>
                      <span className="num text-xs text-ink-2 max-sm:hidden">
                        {queue.oldestWaitMs != null && `oldest ${duration(queue.oldestWaitMs)}`}
                      </span>
                      <span
                        className={`num w-20 text-right ${queue.queued ? "font-medium" : "text-ink-3"}`}
                      >{`${atLeast(queue.queued, queue.isCut)} waiting`}</span>
                    </Link>
                  </li>
                ))}
            </ul>
          )
        }
      </Load>
    </Card>
  );
}
