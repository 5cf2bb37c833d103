import { useQueryClient } from "@tanstack/react-query";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { ask, type Body } from "@/api/client";
import { keys } from "@/api/keys";
import { fromNow } from "@/api/queries";
import type { Run } from "@/api/types";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { toast } from "@/ui/Toasts";
import { effectOf, jobsOf, leftOut, nothingToDo, type Verb } from "./bulk";

type Wish = Body<"cancelRuns">;

interface Asked {
  verb: Verb;
  body: Wish;
  matched: number;
  /** There are more than the server takes at once. */
  more: boolean;
}

interface BulkProps {
  rows: Run[];
  selected: Set<string>;
  filter: NonNullable<Wish["filter"]> & { parentId?: string };
  isFiltered: boolean;
  hasMore: boolean;
  clear: () => void;
}

/** What may be done with many: those chosen, or all that fit the filters, counted by the server. */
export function BulkBar({ rows, selected, filter, isFiltered, hasMore, clear }: BulkProps) {
  const cache = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);
  const chosen = rows.filter((run) => selected.has(run.executionId));
  const isAll =
    isFiltered && !filter.parentId && hasMore && rows.length > 0 && chosen.length === rows.length;
  if (chosen.length === 0) return null;
  const count = async (verb: Verb, body: Wish) => {
    try {
      const { matched, more } = await ask(`${verb}Runs`, { body: { ...body, dryRun: true } });
      setAsked({ verb, body, matched, more });
    } catch (error) {
      toast.failed(error);
    }
  };
  const perform = async () => {
    if (!asked) return;
    const { done } = await ask(`${asked.verb}Runs`, { body: asked.body });
    toast.done(
      `${plural(done, "run")} ${asked.verb === "cancel" ? "cancelled" : "submitted again"}.`,
    );
    clear();
    await cache.invalidateQueries({ queryKey: keys.runs });
  };
  const able = (verb: Verb) => chosen.filter((run) => run.verbs?.includes(verb));
  const about = (verb: Verb): Wish =>
    isAll ? { filter: fromNow(filter) } : { ids: able(verb).map((run) => run.executionId) };
  const word = asked?.verb === "cancel" ? "Cancel" : "Rerun";
  const many = asked?.matched ?? 0;
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft px-3 py-2">
      <span className="num flex-1 font-medium whitespace-nowrap">
        {isAll ? "All runs that fit the filters" : `${plural(chosen.length, "run")} selected`}
      </span>
      {able("cancel").length > 0 && (
        <Button
          icon={<Ban className="size-3.5" />}
          onClick={() => void count("cancel", about("cancel"))}
        >
          Cancel
        </Button>
      )}
      {able("rerun").length > 0 && (
        <Button
          icon={<RotateCcw className="size-3.5" />}
          onClick={() => void count("rerun", about("rerun"))}
        >
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
      <FormDialog
        open={asked !== null}
        title={`${word} ${plural(many, "run")}?`}
        submit={`${word} ${plural(many, "run")}`}
        danger={asked?.verb === "cancel"}
        disabled={many === 0}
        onClose={() => setAsked(null)}
        onSubmit={perform}
      >
        {asked && many > 0 ? (
          <div className="space-y-2">
            <p>{effectOf(asked.verb, many)}</p>
            <p className="break-words text-ink-2">
              {isAll ? "They are all that fit the filters." : jobsOf(able(asked.verb))}
            </p>
            {!isAll && <p className="text-ink-2 empty:hidden">{leftOut(chosen.length - many)}</p>}
            {asked.more && (
              <p className="text-ink-2">
                There are more than are taken at once: do it again for the rest.
              </p>
            )}
          </div>
        ) : (
          <p>None of the chosen runs is in a state that allows this.</p>
        )}
      </FormDialog>
    </div>
  );
}
