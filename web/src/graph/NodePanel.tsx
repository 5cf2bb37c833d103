import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCcw, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { may } from "@/api/actions";
import { ask, type Body } from "@/api/client";
import type { GraphEdge, GraphNode, Run } from "@/api/types";
import { shortId } from "@/lib/format";
import { downloadLog, useLog } from "@/shell/live";
import { Button, IconButton } from "@/ui/Button";
import { Field, FormDialog } from "@/ui/Dialog";
import { LogView } from "@/ui/LogView";
import { Fact, Facts } from "@/ui/Panels";
import { StateBadge } from "@/ui/State";
import { Duration, Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";
import { Instances } from "./Instances";

interface Props {
  run: Run;
  node: GraphNode;
  /** Edges into it that ask something. */
  conditions: GraphEdge[];
  onClose: () => void;
}

export function NodePanel({ run, node, conditions, onClose }: Props) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    panel.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const progress = node.map && "total" in node.map ? node.map : null;
  return (
    <section ref={panel} aria-label={`Node ${node.name}`} className="border-t border-line">
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
          <Fact name="Job">{node.job ?? node.kind}</Fact>
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
            <Time at={node.startedAt} />
          </Fact>
          <Fact name="Took">
            <Duration from={node.startedAt} until={node.finishedAt} ms={node.durationMs} />
          </Fact>
          {node.attempt != null && <Fact name="Attempt">{node.attempt}</Fact>}
          <Fact name="Starts when">{joinInWords(node.join)}</Fact>
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
                search={{ parentId: run.executionId, jobId: node.job ?? undefined } as never}
                className="link"
              >
                {`${progress.done} of ${progress.total} done, ${progress.running} running, ${progress.failed} failed`}
              </Link>
            </Fact>
          )}
        </Facts>
        {node.reason && (
          <p className="mt-3 rounded-md bg-sunken px-3 py-2 break-words">{node.reason}</p>
        )}
      </div>
      {progress && progress.failed > 0 && <Instances run={run} node={node} />}
      {node.runId && !node.map && <NodeLog id={node.runId} isLive={!node.finishedAt} />}
    </section>
  );
}

const JOINS: Record<GraphNode["join"], string> = {
  all_success: "all before it succeeded",
  all_done: "all before it ended",
  all_failed: "all before it failed",
  all_done_setup_success: "all before it ended and what prepares succeeded",
  all_done_min_one_success: "all before it ended, one of them well",
  all_skipped: "all before it were skipped",
  one_done: "one before it ended",
  one_failed: "one before it failed",
  one_success: "one before it succeeded",
  none_failed: "none before it failed",
  none_failed_min_one_success: "none before it failed and one succeeded",
  none_skipped: "none before it was skipped",
  always: "at once",
};

/** One of a newer server as it is called. */
function joinInWords(join: GraphNode["join"]): string {
  return JOINS[join] ?? join;
}

function NodeLog({ id, isLive }: { id: string; isLive: boolean }) {
  const { lines, isRead } = useLog(id, isLive);
  return (
    <div className="border-t border-line">
      <LogView
        lines={lines}
        live={isLive}
        reading={!isRead}
        onDownload={() => downloadLog(id)}
        height={isLive ? "h-64" : "max-h-64 min-h-24"}
      />
    </div>
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
