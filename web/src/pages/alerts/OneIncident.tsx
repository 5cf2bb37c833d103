import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { incident as incidentQuery } from "@/api/queries";
import type { Incident } from "@/api/types";
import { count } from "@/lib/format";
import { Dialog } from "@/ui/Dialog";
import { Fact, Load } from "@/ui/Panels";
import { Time } from "@/ui/Time";
import { aboutOf, IncidentTag, RunLink } from "./Incidents";
import { Severity } from "./Severity";
import { wordOf } from "./words";

interface Props {
  id: string;
  isWhole: boolean;
  onClose: () => void;
}

/** All that is on record of one incident, with the ways to what it is about. */
export function OneIncident({ id, isWhole, onClose }: Props) {
  const query = useQuery(incidentQuery(id));
  return (
    <Dialog open wide title={query.data?.title ?? "Incident"} onClose={onClose}>
      <Load query={query}>{(each) => <Facts incident={each} isWhole={isWhole} />}</Load>
    </Dialog>
  );
}

function Facts({ incident, isWhole }: { incident: Incident; isWhole: boolean }) {
  const { job, queue, runs, advice, messages, toldAt } = incident;
  return (
    <div className="space-y-4">
      <p className="flex flex-wrap items-center gap-2">
        <Severity level={incident.severity} />
        <IncidentTag incident={incident} />
        <span className="text-ink-2">{`${wordOf(incident.kind)}: ${aboutOf(incident)}`}</span>
      </p>
      {advice && <p className="rounded-md bg-sunken px-3 py-2">{advice.replaceAll("`", "")}</p>}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
        {job && (
          <Fact name="Job">
            <Link to="/jobs/$id" params={{ id: job }} className="link">
              {job}
            </Link>
          </Fact>
        )}
        {queue && (
          <Fact name="Queue">
            <Link to="/queues/$name" params={{ name: queue }} className="link">
              {queue}
            </Link>
          </Fact>
        )}
        {incident.runId && (
          <Fact name="Newest run">
            <RunLink id={incident.runId} />
          </Fact>
        )}
        {runs !== null && <Fact name="Failed runs">{count(runs)}</Fact>}
        <Fact name="Opened">
          <Moment at={incident.openedAt} />
        </Fact>
        <Fact name="Last seen">
          <Moment at={incident.lastAt} />
        </Fact>
        {incident.closedAt && (
          <Fact name="Closed">
            <Moment at={incident.closedAt} />
          </Fact>
        )}
        <Fact name="Messages">
          {count(messages)}
          {toldAt && (
            <>
              {", the last one "}
              <Time at={toldAt} ago />
            </>
          )}
        </Fact>
        <Fact name="Rule">
          <RuleLink name={incident.rule} isLink={isWhole} />
        </Fact>
      </dl>
      {job && incident.kind.match(/^(run|cause)/) && <Failed job={job} />}
    </div>
  );
}

function Moment({ at }: { at: string }) {
  return (
    <>
      <Time at={at} /> (<Time at={at} ago />)
    </>
  );
}

function RuleLink({ name, isLink }: { name: string; isLink: boolean }): ReactNode {
  if (!isLink) return name;
  return (
    <Link to="/alerts" search={{ tab: "rules" } as never} className="link">
      {name}
    </Link>
  );
}

function Failed({ job }: { job: string }) {
  return (
    <p>
      <Link to="/runs" search={{ status: "failed", jobId: job } as never} className="link">
        {`Failed runs of ${job}`}
      </Link>
    </p>
  );
}
