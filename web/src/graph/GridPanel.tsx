/** Beside the grid: the run, or the node of a run, that was chosen in it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExternalLink, X } from "lucide-react";
import { nodes, run as runQuery } from "@/api/queries";
import type { GraphNode, Run } from "@/api/types";
import { argsText, hasArgs } from "@/lib/args";
import { useReturnFocus } from "@/lib/focus";
import { count, errorText, shortId } from "@/lib/format";
import { buttonClass, IconButton } from "@/ui/Button";
import { Card, Fact, Load } from "@/ui/Panels";
import { StateBadge, stateOf } from "@/ui/State";
import { Duration, Time } from "@/ui/Time";
import { NodePanel } from "./NodePanel";

interface Props {
  runId: string;
  nodeName: string | undefined;
  onChoose: (node: string) => void;
  onClose: () => void;
}

export function GridPanel({ runId, nodeName, onChoose, onClose }: Props) {
  const run = useQuery(runQuery(runId));
  const shape = useQuery(nodes(runId));
  const all = shape.data?.graph?.nodes ?? [];
  const node = all.find((each) => each.name === nodeName);
  const edges = shape.data?.graph?.edges ?? [];
  return (
    <Card flush className="xl:sticky xl:top-4 xl:max-h-[calc(100dvh-2rem)] xl:overflow-y-auto">
      <Load query={run}>
        {(data) => (
          <>
            <OfRun run={data} nodeName={nodeName} onClose={onClose} />
            {node ? (
              <div className="[&_dl]:!grid-cols-[auto_minmax(0,1fr)]">
                <NodePanel
                  run={data}
                  node={node}
                  conditions={edges.filter((edge) => edge.to === node.name && edge.when)}
                  onClose={onClose}
                />
              </div>
            ) : (
              <Facts run={data} failed={all.filter(isFailed)} onChoose={onChoose} />
            )}
          </>
        )}
      </Load>
    </Card>
  );
}

const isFailed = ({ state }: GraphNode) => state === "failed";

interface OfRunProps {
  run: Run;
  nodeName: string | undefined;
  onClose: () => void;
}

function OfRun({ run, nodeName, onClose }: OfRunProps) {
  useReturnFocus();
  return (
    <div className="flex flex-wrap items-center gap-2.5 border-b border-line px-4 py-2.5">
      <h2 className="font-semibold">
        {"Run "}
        <span className="font-mono text-xs">{shortId(run.executionId)}</span>
      </h2>
      <StateBadge state={stateOf(run)} />
      <span className="flex-1" />
      <Link
        to="/runs/$id"
        params={{ id: run.executionId }}
        search={(nodeName ? { tab: "graph", node: nodeName } : {}) as never}
        className={buttonClass()}
      >
        <ExternalLink aria-hidden className="size-3.5" />
        Open
      </Link>
      {!nodeName && (
        <IconButton label="Close" onClick={onClose}>
          <X className="size-4" />
        </IconButton>
      )}
    </div>
  );
}

interface FactsProps {
  run: Run;
  failed: GraphNode[];
  onChoose: (node: string) => void;
}

const MOST = 20;

function Facts({ run, failed, onChoose }: FactsProps) {
  return (
    <div className="space-y-4 p-4">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        {run.scheduledFor && (
          <Fact name="For">
            <Time at={run.scheduledFor} />
          </Fact>
        )}
        <Fact name="Started">
          <Time at={run.startedAt} none="not yet" />
        </Fact>
        <Fact name="Took">
          <Duration from={run.startedAt} until={run.finishedAt} ms={run.durationMs} />
        </Fact>
        <Fact name="Version">{`v${run.version}`}</Fact>
        {hasArgs(run.args) && (
          <Fact name="Arguments">
            <span className="font-mono text-xs">{argsText(run.args)}</span>
          </Fact>
        )}
      </dl>
      {run.error && (
        <p className="rounded-md bg-bad-soft px-3 py-2 font-mono text-xs break-words text-bad">
          {errorText(run.error.type, run.error.message)}
        </p>
      )}
      {failed.length > 0 && (
        <div>
          <h3 className="mb-1 text-xs font-medium text-ink-2">{`Failed nodes: ${count(failed.length)}`}</h3>
          <ul className="space-y-1">
            {failed.slice(0, MOST).map(({ name }) => (
              <li key={name}>
                <button type="button" className="link text-left" onClick={() => onChoose(name)}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
