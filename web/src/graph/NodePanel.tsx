import { Link } from "@tanstack/react-router";
import type { GraphEdge, GraphNode, Run } from "@/api/types";
import { capitalise, shortId } from "@/lib/format";
import { RunLog } from "@/shell/RunLog";
import { Name } from "@/ui/Name";
import { Fact, Facts } from "@/ui/Panels";
import { StateBadge } from "@/ui/State";
import { Duration, Time } from "@/ui/Time";
import { Instances } from "./Instances";
import { NodeActions } from "./NodeActions";
import { NodeFrame } from "./NodeFrame";
import { itemsInWords, startsWhen } from "./words";

interface Props {
  run: Run;
  node: GraphNode;
  /** Edges into it that ask something. */
  conditions: GraphEdge[];
  onClose: () => void;
}

export function NodePanel({ run, node, conditions, onClose }: Props) {
  const progress = node.map && "total" in node.map ? node.map : null;
  return (
    <NodeFrame
      name={node.name}
      onClose={onClose}
      head={
        <>
          <StateBadge state={node.state} />
          <span className="flex-1" />
          <span className="flex gap-2 max-sm:order-last max-sm:w-full">
            <NodeActions run={run} node={node} />
          </span>
        </>
      }
    >
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
      {progress && progress.failed > 0 && (
        <Instances run={run} node={node} many={progress.failed} />
      )}
      {node.runId && !node.map && (
        <div className="border-t border-line">
          <RunLog
            id={node.runId}
            live={!node.finishedAt}
            height={node.finishedAt ? "max-h-60 min-h-20" : "h-60"}
          />
        </div>
      )}
    </NodeFrame>
  );
}
