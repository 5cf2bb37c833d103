import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import { backfills } from "@/api/queries";
import type { Backfill } from "@/api/types";
import { count, plural, sentence } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Name } from "@/ui/Name";
import { Card, Empty, Load } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { Time } from "@/ui/Time";

const MOODS = { active: "run", done: "ok", cancelled: "idle", error: "bad" } as const;

/** What was made up for, and how far it is. */
export function Backfills() {
  return (
    <Card flush>
      <Load query={useQuery(backfills())}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={History} title="No backfills">
              A backfill runs a schedule for times that are past: those that were missed, or that
              failed. Open a schedule and choose Backfill.
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {items.map((each) => (
                <Row key={each.id} backfill={each} />
              ))}
            </ul>
          )
        }
      </Load>
    </Card>
  );
}

function Row({ backfill }: { backfill: Backfill }) {
  const { schedule, from, until, total, failed, state } = backfill;
  const done = backfill.succeeded + failed;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_2.5rem] items-center gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[minmax(0,1fr)_14rem_7rem_2.5rem]">
      <div className="min-w-0">
        {schedule ? (
          <Link to="/schedules" search={{ edit: schedule } as never} className="hover:underline">
            <Name text={schedule} className="font-medium" />
          </Link>
        ) : (
          <span className="text-ink-2">A schedule that is removed</span>
        )}
        <p className="text-xs text-ink-2">
          <Time at={from} planned /> to <Time at={until} planned />
        </p>
      </div>
      <div className="space-y-1 max-md:col-span-2 max-md:row-start-2">
        <Share backfill={backfill} />
        <p className="num text-xs text-ink-2">
          <RunsLink
            backfill={backfill}
          >{`${count(done)} of ${plural(total, "run")} ended`}</RunsLink>
          {failed > 0 && (
            <>
              {", "}
              <RunsLink backfill={backfill} status="failed">{`${count(failed)} failed`}</RunsLink>
            </>
          )}
        </p>
      </div>
      <span className="max-md:col-span-2 max-md:row-start-3">
        <Tag mood={MOODS[state]}>{sentence(state)}</Tag>
      </span>
      <span className="max-md:col-start-2 max-md:row-start-1">
        <Actions
          compact
          subject="backfill"
          item={backfill}
          id={backfill.id}
          name={schedule ?? "a removed schedule"}
        />
      </span>
    </li>
  );
}

/** What went well and what failed, each as long as its part of the whole. */
function Share({ backfill: { schedule, total, succeeded, failed } }: { backfill: Backfill }) {
  const part = (many: number) => `${total ? (100 * many) / total : 0}%`;
  return (
    <div
      role="progressbar"
      aria-label={`Backfill of ${schedule ?? "a removed schedule"}`}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={succeeded + failed}
      aria-valuetext={`${count(succeeded)} of ${count(total)} succeeded, ${count(failed)} failed`}
      className="flex h-1.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      <span className="bg-ok-fill" style={{ width: part(succeeded) }} />
      <span className="bg-bad-fill" style={{ width: part(failed) }} />
    </div>
  );
}

interface RunsLinkProps {
  backfill: Backfill;
  status?: string;
  children: string;
}

/** To the runs of the schedule that were made while the backfill went on. */
function RunsLink({ backfill, status, children }: RunsLinkProps) {
  const { schedule, createdAt, endedAt } = backfill;
  if (!schedule) return children;
  const search = { schedule, since: createdAt, until: endedAt ?? undefined, status };
  return (
    <Link to="/runs" search={search as never} className={status ? "link text-bad" : "link"}>
      {children}
    </Link>
  );
}
