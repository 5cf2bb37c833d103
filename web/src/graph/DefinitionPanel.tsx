import { Link } from "@tanstack/react-router";
import type { GraphDefinition } from "@/api/types";
import { plural } from "@/lib/format";
import { Name } from "@/ui/Name";
import { Fact, Facts } from "@/ui/Panels";
import { NodeFrame } from "./NodeFrame";
import { startsWhen } from "./words";

type DefinedNode = GraphDefinition["nodes"][number];

interface Props {
  shape: GraphDefinition;
  node: DefinedNode;
  onChoose: (name: string) => void;
  onClose: () => void;
}

/** What a node of a definition is, when it starts, and what it waits for and lets go on. */
export function DefinitionPanel({ shape, node, onChoose, onClose }: Props) {
  const into = shape.edges.filter((edge) => edge.to === node.name);
  const out = shape.edges.filter((edge) => edge.from === node.name);
  return (
    <NodeFrame name={node.name} onClose={onClose}>
      <div className="p-4">
        <Facts>
          <Fact name={node.isGraph ? "Graph" : "Job"}>
            <Link
              to={node.isGraph ? "/graphs/$name" : "/jobs/$id"}
              params={(node.isGraph ? { name: node.job } : { id: node.job }) as never}
              className="link block max-w-max"
            >
              <Name text={node.job} />
            </Link>
          </Fact>
          <Fact name="Starts when">{startsWhen(node.join, into.length)}</Fact>
          {node.map && (
            <Fact name="Runs">
              {`once for each item${node.map.batch > 1 ? `, ${node.map.batch} at a time` : ""}`}
              {node.map.concurrency != null &&
                `, ${plural(node.map.concurrency, "run")} beside one another`}
            </Fact>
          )}
          {node.retries != null && <Fact name="Retries">{node.retries}</Fact>}
          {node.timeout && <Fact name="Time limit">{node.timeout}</Fact>}
          {into
            .filter((edge) => edge.when)
            .map((edge) => (
              <Fact key={edge.from} name="Runs if">
                <code className="font-mono text-xs break-all">{edge.when}</code>
                <span className="text-ink-2">{` of ${edge.from}`}</span>
              </Fact>
            ))}
          <Fact name="Before it">
            <Names names={into.map((edge) => edge.from)} onChoose={onChoose} />
          </Fact>
          <Fact name="After it">
            <Names names={out.map((edge) => edge.to)} onChoose={onChoose} />
          </Fact>
        </Facts>
      </div>
    </NodeFrame>
  );
}

const NAMED = 8;

function Names({ names, onChoose }: { names: string[]; onChoose: (name: string) => void }) {
  if (names.length === 0) return <span className="text-ink-3">nothing</span>;
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {names.slice(0, NAMED).map((name) => (
        <button key={name} type="button" onClick={() => onChoose(name)} className="link max-w-full">
          <Name text={name} />
        </button>
      ))}
      {names.length > NAMED && (
        <span className="text-ink-2">{`and ${names.length - NAMED} more`}</span>
      )}
    </span>
  );
}
