import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { monitor as monitorQuery } from "@/api/queries";
import type { Monitor } from "@/api/types";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Fact, Load } from "@/ui/Panels";
import { Duration, Time } from "@/ui/Time";
import { Addresses } from "./Addresses";
import { MonitorForm } from "./MonitorForm";
import { MonitorTag } from "./MonitorTag";
import { Pings } from "./Pings";

interface Props {
  name: string;
  onClose: () => void;
}

/** One monitor: how it is, what its job pings, and what came. */
export function OneMonitor({ name, onClose }: Props) {
  const query = useQuery(monitorQuery(name));
  return (
    <Dialog open wide title={name} onClose={onClose}>
      <Load query={query}>{(each) => <Body monitor={each} onGone={async () => onClose()} />}</Load>
    </Dialog>
  );
}

function Body({ monitor, onGone }: { monitor: Monitor; onGone: () => Promise<void> }) {
  const [isEdited, setEdited] = useState(false);
  return (
    <div className="space-y-5">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
        <Fact name="State">
          <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <MonitorTag monitor={monitor} />
            {monitor.reason && <span className="break-words">{monitor.reason}</span>}
          </span>
        </Fact>
        <Fact name="Expects">{`${monitor.description}, ${monitor.grace} of grace`}</Fact>
        <Fact name="Last ping">
          <Time at={monitor.lastAt} none="none yet" />
          {monitor.lastDurationMs !== null && (
            <>
              , the job took <Duration ms={monitor.lastDurationMs} />
            </>
          )}
        </Fact>
        {monitor.startedAt && (
          <Fact name="Running">
            since <Time at={monitor.startedAt} />
          </Fact>
        )}
        <Fact name="Next ping">
          <Time at={monitor.expectedAt} planned none="not expected" />
        </Fact>
        {monitor.note && <Fact name="Note">{monitor.note}</Fact>}
      </dl>
      <section aria-label="What the job pings">
        <h3 className="mb-2 font-semibold">What the job pings</h3>
        <Addresses monitor={monitor} />
      </section>
      <Pings monitor={monitor} />
      <div className="flex flex-wrap justify-end gap-2">
        {may(monitor, "edit") && (
          <Button icon={<Pencil className="size-3.5" />} onClick={() => setEdited(true)}>
            Edit
          </Button>
        )}
        <Actions
          subject="monitor"
          item={monitor}
          id={monitor.name}
          name={monitor.name}
          onGone={onGone}
        />
      </div>
      {isEdited && <MonitorForm monitor={monitor} onClose={() => setEdited(false)} />}
    </div>
  );
}
