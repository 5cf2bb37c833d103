import { useQueryClient } from "@tanstack/react-query";
import { ask, type Body } from "@/api/client";
import { keys } from "@/api/keys";
import { plural } from "@/lib/format";
import { FormDialog } from "@/ui/Dialog";
import { toast } from "@/ui/Toasts";
import { effectOf, type Verb } from "./bulk";

/** What somebody is asked to agree to, as it was when they were asked. */
export interface Asked {
  verb: Verb;
  body: Body<"cancelRuns">;
  matched: number;
  /** There are more than the server takes at once. */
  more: boolean;
  /** Which runs they are. */
  about: string;
  /** What happens to the others that were chosen. */
  rest: string;
}

interface Props {
  asked: Asked;
  onDone: () => void;
  onClose: () => void;
}

export function BulkDialog({ asked, onDone, onClose }: Props) {
  const cache = useQueryClient();
  const { verb, matched } = asked;
  const perform = async () => {
    const { done } = await ask(`${verb}Runs`, { body: asked.body });
    toast.done(`${plural(done, "run")} ${verb === "cancel" ? "cancelled" : "submitted again"}.`);
    onDone();
    await cache.invalidateQueries({ queryKey: keys.runs });
  };
  const wish = `${verb === "cancel" ? "Cancel" : "Rerun"} ${plural(matched, "run")}`;
  return (
    <FormDialog
      open
      title={`${wish}?`}
      submit={wish}
      danger={verb === "cancel"}
      disabled={matched === 0}
      onClose={onClose}
      onSubmit={perform}
    >
      {matched > 0 ? (
        <div className="space-y-2">
          <p>{effectOf(verb, matched)}</p>
          <p className="break-words text-ink-2">{asked.about}</p>
          <p className="text-ink-2 empty:hidden">{asked.rest}</p>
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
  );
}
