import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCcw, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { may } from "@/api/actions";
import { ask, type Body } from "@/api/client";
import type { GraphEdge, GraphNode, Run } from "@/api/types";
import { useReturnFocus } from "@/lib/focus";
import { capitalise, shortId } from "@/lib/format";
import { RunLog } from "@/shell/RunLog";
import { Button, IconButton } from "@/ui/Button";
import { Field, FormDialog } from "@/ui/Dialog";
import { Name } from "@/ui/Name";
import { Fact, Facts } from "@/ui/Panels";
import { StateBadge } from "@/ui/State";
import { Duration, Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";
import { Instances } from "./Instances";
import { itemsInWords, startsWhen } from "./words";

interface Props {
  run: Run;
  node: GraphNode;
  /** Edges into it that ask something. */
  conditions: GraphEdge[];
  onClose: () => void;
}

export function NodePanel({ run, node, conditions, onClose }: Props) {
  const panel = useRef<HTMLElement>(null);
  useReturnFocus();
  useEffect(() => {
    panel.current?.scrollIntoView({ block: "nearest" });
    // Whoever opened it goes on in it; an address that names it leaves the focus alone.
    if (document.activeElement !== document.body) panel.current?.focus({ preventScroll: true });
  }, []);
  const progress = node.map && "total" in node.map ? node.map : null;
  return (
    <section
      ref={panel}
      aria-label={`Node ${node.name}`}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && onClose()}
      className="border-t border-line -outline-offset-2"
    >
      <div className="flex flex-wrap items-center gap-2.5 px-4 pt-3">
        <h2 className="text-base font-semibold break-words">{node.name}</h2>
        <StateBadge state={node.state} />
        <span className="flex-1" />
        <span className="flex gap-2 max-sm:order-last max-sm:w-full">
          <NodeActions run={run} node={node} />
        </span>
        <IconButton label="Close" onClick={onClose}>
          <X className="size-4" />
        </IconButton>
      </div>
      <div className="p-4">
        <Facts>
          <Fact name="Job">
            <Link to="/jobs/$id" params={{ id: node.job }} className="link block max-w-max">
              <Name text={node.job} />
            </Link>
          </Fact>
          <Fact name="Run">
            {node.runId ? (
              <Link to="/runs/$id" params={{ id: node.runId }} className="link">
                {shortId(node.runId)}
              </Link>
            ) : progress ? (
              "one for each item"
            ) : (
              "none yet"
            )}
          </Fact>
          <Fact name="Started">
            <Time at={node.startedAt} none="not yet" />
          </Fact>
          <Fact name="Took">
            <Duration from={node.startedAt} until={node.finishedAt} ms={node.durationMs} />
          </Fact>
          {node.attempt != null && node.attempt > 0 && <Fact name="Attempt">{node.attempt}</Fact>}
          <Fact name="Starts when">{startsWhen(node.join, node.parents?.length ?? 1)}</Fact>
          {conditions.map((edge) => (
            <Fact key={edge.from} name="Runs if">
              <code className="font-mono text-xs break-all">{edge.when}</code>
              <span className="text-ink-2">{` of ${edge.from}`}</span>
            </Fact>
          ))}
          {progress && (
            <Fact name="Items">
              <Link
                to="/runs"
                search={{ parentId: run.executionId, jobId: node.job } as never}
                className="link"
              >
                {itemsInWords(progress)}
              </Link>
            </Fact>
          )}
        </Facts>
        {node.reason && (
          <p className="mt-3 rounded-md bg-sunken px-3 py-2 break-words">
            {capitalise(node.reason)}
          </p>
        )}
      </div>
      {progress && progress.failed > 0 && <Instances run={run} node={node} />}
      {node.runId && !node.map && (
        <div className="border-t border-line">
          <RunLog
            id={node.runId}
            live={!node.finishedAt}
            height={node.finishedAt ? "max-h-60 min-h-20" : "h-60"}
          />
        </div>
      )}
    </section>
  );
}

function NodeActions({ run, node }: { run: Run; node: GraphNode }) {
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
