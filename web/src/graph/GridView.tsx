import { useQuery } from "@tanstack/react-query";
import { ChevronsDownUp, ChevronsUpDown } from "lucide-react";
import { useMemo, useState } from "react";
import { graph as graphQuery, grid } from "@/api/queries";
import type { Grid } from "@/api/types";
import { useCoarse } from "@/lib/useCoarse";
import { useFilters } from "@/lib/useFilters";
import { Button } from "@/ui/Button";
import { Card, Empty, Load, Skeleton } from "@/ui/Panels";
import { SearchField } from "@/ui/SearchField";
import { lookOf, NODE_STATES, STATES } from "@/ui/State";
import { GridPanel } from "./GridPanel";
import { GridTable } from "./GridTable";
import { inOrder, rowsOf } from "./gridRows";

const MANY_RUNS = ["30", "60", "100", "200"];
/** With more nodes groups begin folded. */
const FOLD_ABOVE = 60;

/** Runs beside one another, a column each; a node that often fails is a line of red. */
export function GridView({ name }: { name: string }) {
  const [search] = useFilters();
  const many = MANY_RUNS.find((each) => each === search.runs) ?? "30";
  const query = useQuery(grid(name, Number(many)));
  // Groups are known with the definition; rows that move under a finger are hit wrongly.
  if (useQuery(graphQuery(name)).isPending) return <Skeleton lines={8} />;
  return (
    <Load query={query}>
      {(data) =>
        data.runs.length ? (
          <Body name={name} data={data} many={many} />
        ) : (
          <Card flush>
            <Empty title="This graph has not run yet">Its runs appear here, a column each.</Empty>
          </Card>
        )
      }
    </Load>
  );
}

interface Props {
  name: string;
  data: Grid;
  many: string;
}

function Body({ name, data, many }: Props) {
  const [search, setSearch] = useFilters();
  const isCoarse = useCoarse();
  const groupOf = useGroups(name);
  const groups = useMemo(() => [...new Set(groupOf.values())], [groupOf]);
  const [chosen, setFolded] = useState<ReadonlySet<string> | null>(null);
  const folded = chosen ?? new Set(data.nodes.length > FOLD_ABOVE ? groups : []);
  const runs = useMemo(() => inOrder(data.runs), [data.runs]);
  const wanted = (search.q ?? "").toLowerCase();
  const hasFailed = (node: string) =>
    runs.some((run) => isBad(data.cells[run.executionId]?.[node]));
  const isWanted = (node: string) =>
    node.toLowerCase().includes(wanted) && (search.failed !== "true" || hasFailed(node));
  const rows = rowsOf(data.nodes, groupOf, folded, isWanted);
  const toggle = (group: string) => {
    const next = new Set(folded);
    if (!next.delete(group)) next.add(group);
    setFolded(next);
  };
  const isOpen = runs.some(({ executionId }) => executionId === search.run);
  return (
    <div className={isOpen ? "grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_27rem]" : ""}>
      <Card flush>
        <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
          <SearchField
            label="Search nodes"
            className="min-w-40 flex-1"
            value={search.q}
            onChange={(q) => setSearch({ q })}
          />
          <label className="flex min-h-(--tap) items-center gap-2">
            <input
              type="checkbox"
              checked={search.failed === "true"}
              onChange={(event) => setSearch({ failed: event.target.checked ? "true" : undefined })}
            />
            Only nodes that failed
          </label>
          {groups.length > 0 && (
            <FoldAll
              hasOpen={groups.some((each) => !folded.has(each))}
              onFold={(isFolded) => setFolded(new Set(isFolded ? groups : []))}
            />
          )}
          <select
            aria-label="How many runs"
            className="field"
            value={many}
            onChange={(event) => setSearch({ runs: event.target.value })}
          >
            {MANY_RUNS.map((each) => (
              <option key={each} value={each}>{`${each} runs`}</option>
            ))}
          </select>
        </div>
        {rows.length > 0 ? (
          <GridTable
            key={`${isCoarse} ${many}`}
            runs={runs}
            rows={rows}
            cells={data.cells}
            folded={folded}
            chosen={{ run: search.run, node: search.node }}
            onToggle={toggle}
            onChoose={(run, node) => setSearch({ run, node })}
            isCoarse={isCoarse}
          />
        ) : (
          <Empty title="No node fits">Its name, and whether it failed, are looked at.</Empty>
        )}
        <Legend data={data} />
      </Card>
      {isOpen && search.run && (
        <GridPanel
          key={`${search.run} ${search.node}`}
          runId={search.run}
          nodeName={search.node}
          onChoose={(node) => setSearch({ node })}
          onClose={() => setSearch({ run: undefined, node: undefined })}
        />
      )}
    </div>
  );
}

function isBad(state: string | undefined): boolean {
  return state === "failed" || state === "upstream_failed";
}

/** Which group each node is in, as the definition of today says. */
function useGroups(name: string): ReadonlyMap<string, string> {
  const { data } = useQuery(graphQuery(name));
  return useMemo(() => {
    const grouped = (data?.nodes ?? []).filter((node) => node.group);
    return new Map(grouped.map((node) => [node.name, node.group as string]));
  }, [data]);
}

function FoldAll({ hasOpen, onFold }: { hasOpen: boolean; onFold: (isFolded: boolean) => void }) {
  const Icon = hasOpen ? ChevronsDownUp : ChevronsUpDown;
  return (
    <Button icon={<Icon className="size-3.5" />} onClick={() => onFold(hasOpen)}>
      {hasOpen ? "Fold all" : "Unfold all"}
    </Button>
  );
}

function Legend({ data }: { data: Grid }) {
  const used = new Set(Object.values(data.cells).flatMap((cells) => Object.values(cells)));
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-xs text-ink-2">
      {[...STATES, ...NODE_STATES]
        .filter((state) => used.has(state))
        .map((state) => (
          <li key={state} className="flex items-center gap-1.5">
            <span className={`size-2.5 rounded-sm ${lookOf(state).fill}`} />
            {lookOf(state).word}
          </li>
        ))}
    </ul>
  );
}
