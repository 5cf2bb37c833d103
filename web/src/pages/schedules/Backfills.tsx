import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import { backfills } from "@/api/queries";
import type { Backfill } from "@/api/types";
import { count, plural, sentence } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Name } from "@/ui/Name";
import { Card, Empty, Load, Progress } from "@/ui/Panels";
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
        <Progress
          share={total ? done / total : 0}
          label={`Backfill of ${schedule ?? "a removed schedule"}`}
          tone={failed || state === "error" ? "bg-bad-fill" : "bg-ok-fill"}
        />
        <p className="num text-xs text-ink-2">
          {`${count(done)} of ${plural(total, "run")} ended`}
          {failed > 0 && <span className="text-bad">{`, ${count(failed)} failed`}</span>}
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
