import { useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask, type Body } from "@/api/client";
import type { GraphNode, Run } from "@/api/types";
import { Button } from "@/ui/Button";
import { Field, FormDialog } from "@/ui/Dialog";
import { toast } from "@/ui/Toasts";

/** Run a node again, or let it count as ended, where the API allows it. */
export function NodeActions({ run, node }: { run: Run; node: GraphNode }) {
  const cache = useQueryClient();
  const [dialog, setDialog] = useState<"rerun" | "mark" | null>(null);
  const rerun = async (fields: FormData) => {
    const downstream = fields.get("downstream") === "yes";
    await ask("rerunRun", {
      path: [run.executionId],
      body: { fromNode: node.name, downstream },
    });
    toast.done(`${node.name} runs again${downstream ? ", and what follows it" : ""}.`);
    await cache.invalidateQueries();
  };
  const mark = async (fields: FormData) => {
    const as = String(fields.get("as")) as Body<"markNode">["as"];
    await ask("markNode", { path: [run.executionId], body: { node: node.name, as } });
    toast.done(`${node.name} counts as ${as}.`);
    await cache.invalidateQueries();
  };
  const close = () => setDialog(null);
  return (
    <>
      {may(node, "rerun") && (
        <Button icon={<RotateCcw className="size-3.5" />} onClick={() => setDialog("rerun")}>
          Rerun from here
        </Button>
      )}
      {may(node, "mark") && <Button onClick={() => setDialog("mark")}>Mark</Button>}
      <FormDialog
        open={dialog === "rerun"}
        title={`Rerun ${node.name}`}
        submit="Rerun"
        onClose={close}
        onSubmit={rerun}
      >
        <p>It runs again with the arguments it had; what came before it stays as it is.</p>
        <label className="flex items-center gap-2">
          <input type="checkbox" name="downstream" value="yes" defaultChecked />
          And everything that depends on it
        </label>
      </FormDialog>
      <FormDialog
        open={dialog === "mark"}
        title={`Mark ${node.name}`}
        submit="Mark"
        onClose={close}
        onSubmit={mark}
      >
        <Field
          label="Count it as"
          hint="What depends on it goes on as if it had ended so. The act is on record."
        >
          {(id) => (
            <select id={id} name="as" className="field w-full">
              <option value="success">Success</option>
              <option value="failed">Failed</option>
              <option value="skipped">Skipped</option>
            </select>
          )}
        </Field>
      </FormDialog>
    </>
  );
}
