import { Link, useNavigate } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { runs } from "@/api/queries";
import type { Run } from "@/api/types";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Button, buttonClass } from "@/ui/Button";
import { ListTable } from "@/ui/ListTable";
import { Empty, PageHead } from "@/ui/Panels";
import { BulkBar } from "./BulkBar";
import { NARROW_RUN_PX, RUN_COLUMNS } from "./columns";
import { Filters } from "./Filters";
import { linesOf } from "./labels";
import { hidesSteps } from "./steps";

export function Runs() {
  const [search, setSearch] = useFilters();
  const navigate = useNavigate();
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const filter = useMemo(() => {
    const { steps: _, label, arg, ...asked } = search;
    return {
      ...asked,
      ...(label && { label: linesOf(label) }),
      ...(arg && { arg: linesOf(arg) }),
      ...(hidesSteps(search) && { steps: false }),
    };
  }, [search]);
  const list = useList<Run>(runs(filter));
  // Chosen under other filters they may be out of sight: nothing is done to what nobody sees.
  const asked = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text says whether the filters changed
  useEffect(() => setSelected(new Set()), [asked]);
  const isFiltered = Object.entries(search).some(([name, said]) => said && name !== "steps");
  const clear = () =>
    setSearch(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])));
  return (
    <>
      <PageHead title="Runs" />
      <Filters search={search} setSearch={setSearch} />
      <BulkBar
        rows={list.rows}
        selected={selected}
        filter={filter}
        isFiltered={isFiltered}
        hasMore={list.more}
        clear={() => setSelected(new Set())}
      />
      <ListTable
        label="Runs"
        list={list}
        columns={RUN_COLUMNS}
        narrowHeight={NARROW_RUN_PX}
        idOf={(run) => run.executionId}
        href={(run) => `/runs/${run.executionId}`}
        onOpen={(run) => void navigate({ to: "/runs/$id", params: { id: run.executionId } })}
        selected={selected}
        onSelect={setSelected}
        empty={<NoRuns clear={isFiltered ? clear : undefined} />}
      />
    </>
  );
}

function NoRuns({ clear }: { clear: (() => void) | undefined }) {
  if (clear) {
    return (
      <Empty
        icon={Activity}
        title="No run fits these filters"
        action={<Button onClick={clear}>Remove all filters</Button>}
      >
        Remove some of them, or look further back in time.
      </Empty>
    );
  }
  return (
    <Empty
      icon={Activity}
      title="Nothing has run yet"
      action={
        <Link to="/jobs" className={buttonClass()}>
          See the jobs
        </Link>
      }
    >
      Trigger a job on its page, give it a schedule, or submit it from a shell:{" "}
      <code className="font-mono">rota submit JOB</code>
    </Empty>
  );
}
