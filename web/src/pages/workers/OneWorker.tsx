import { Link } from "@tanstack/react-router";
import type { Worker } from "@/api/types";
import { plural } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { CopyButton } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { Fact } from "@/ui/Panels";
import { Time } from "@/ui/Time";
import { WorkerTag } from "./WorkerTag";

/** All that a worker says of itself: which queues it serves, and which jobs it knows. */
export function OneWorker({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  return (
    <Dialog open wide title={worker.name} onClose={onClose}>
      <div className="space-y-4">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
          <Fact name="State">
            <WorkerTag worker={worker} />
          </Fact>
          <Fact name="Slots">{`${Math.min(worker.busy, worker.slots)} of ${worker.slots} busy`}</Fact>
          {worker.leftBehind > 0 && (
            <Fact name="Left behind">
              {`${plural(worker.leftBehind, "handler")} did not stop when asked to, and still run${worker.leftBehind === 1 ? "s" : ""}`}
            </Fact>
          )}
          <Fact name="Process">{`${worker.pid} on ${worker.host}, version ${worker.version}`}</Fact>
          <Fact name="Started">
            <Time at={worker.startedAt} /> (<Time at={worker.startedAt} ago />)
          </Fact>
          <Fact name="Heard from">
            <Time at={worker.seenAt} ago />
          </Fact>
          <Fact name="Id">
            <span className="flex items-center gap-1">
              <span className="font-mono text-xs break-all">{worker.id}</span>
              <CopyButton text={worker.id} label="Copy the id" />
            </span>
          </Fact>
        </dl>
        <Names title={`Serves ${plural(worker.queues.length, "queue")}`}>
          {worker.queues.map((name) => (
            <Link key={name} to="/queues/$name" params={{ name }} className="link break-all">
              {name}
            </Link>
          ))}
        </Names>
        {worker.jobs && (
          <Names title={`Knows ${plural(worker.jobs.length, "job")}`}>
            {worker.jobs.map((id) => (
              <Link key={id} to="/jobs/$id" params={{ id }} className="link break-all">
                {id}
              </Link>
            ))}
          </Names>
        )}
        <div className="flex justify-end gap-2">
          <Actions subject="worker" item={worker} id={worker.id} name={worker.name} />
        </div>
      </div>
    </Dialog>
  );
}

function Names({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <p className="mb-1 text-xs font-medium text-ink-2">{title}</p>
      <div className="scroll-thin flex max-h-40 flex-wrap gap-x-4 gap-y-1 overflow-y-auto">
        {children}
      </div>
    </div>
  );
}
