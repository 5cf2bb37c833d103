import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { ask, type Body } from "@/api/client";
import { fromNow } from "@/api/queries";
import type { Run } from "@/api/types";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/Toasts";
import { type Asked, BulkDialog } from "./BulkDialog";
import { jobsOf, leftOut, nothingToDo, type Verb } from "./bulk";

interface BulkProps {
  rows: Run[];
  selected: Set<string>;
  filter: NonNullable<Body<"cancelRuns">["filter"]> & { parentId?: string };
  isFiltered: boolean;
  hasMore: boolean;
  clear: () => void;
}

/** What may be done with many: those chosen, or all that fit the filters, counted by the server. */
export function BulkBar({ rows, selected, filter, isFiltered, hasMore, clear }: BulkProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const chosen = rows.filter((run) => selected.has(run.executionId));
  const isAll =
    isFiltered && !filter.parentId && hasMore && rows.length > 0 && chosen.length === rows.length;
  const able = (verb: Verb) => chosen.filter((run) => run.verbs?.includes(verb));
  const count = async (verb: Verb) => {
    const fit = able(verb);
    const body = isAll ? { filter: fromNow(filter) } : { ids: fit.map((run) => run.executionId) };
    try {
      const { matched, more } = await ask(`${verb}Runs`, { body: { ...body, dryRun: true } });
      const about = isAll ? "They are all that fit the filters." : jobsOf(fit);
      const rest = isAll ? "" : leftOut(chosen.length - matched);
      setAsked({ verb, body, matched, more, about, rest });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <>
      {chosen.length > 0 && (
        <div className="mb-2 flex flex-wrap items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft px-3 py-2">
          <span className="num flex-1 font-medium whitespace-nowrap">
            {isAll ? "All runs that fit the filters" : `${plural(chosen.length, "run")} selected`}
          </span>
          {able("cancel").length > 0 && (
            <Button icon={<Ban className="size-3.5" />} onClick={() => void count("cancel")}>
              Cancel
            </Button>
          )}
          {able("rerun").length > 0 && (
            <Button icon={<RotateCcw className="size-3.5" />} onClick={() => void count("rerun")}>
              Rerun
            </Button>
          )}
          {able("cancel").length + able("rerun").length === 0 && (
            <span className="text-xs text-ink-2 max-sm:order-last max-sm:basis-full">
              {nothingToDo(chosen)}
            </span>
          )}
          <Button tone="quiet" onClick={clear}>
            Clear
          </Button>
        </div>
      )}
      {/* Rows that end meanwhile may leave the list; who is being asked goes on reading. */}
      {asked && <BulkDialog asked={asked} onDone={clear} onClose={() => setAsked(null)} />}
    </>
  );
}
