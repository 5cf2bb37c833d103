import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { failedParts } from "@/api/queries";
import type { GraphNode, Run } from "@/api/types";
import { count, errorText, shortId } from "@/lib/format";
import { Load } from "@/ui/Panels";
import { StateBadge } from "@/ui/State";

const SHOWN = 6;

interface Props {
  run: Run;
  node: GraphNode;
  /** How many failed, by the node's own count: the list has its end. */
  many: number;
}

/** Which instances of a mapped node failed, and with what: each leads to its log. */
export function Instances({ run, node, many }: Props) {
  const query = useQuery(failedParts(run.executionId));
  return (
    <Load query={query} lines={2}>
      {({ items }) => {
        const failed = items.filter((each) => each.node === node.name);
        const more = many - Math.min(failed.length, SHOWN);
        return (
          <ul className="divide-y divide-line border-t border-line" aria-label="Failed instances">
            {failed.slice(0, SHOWN).map((each) => (
              <li key={each.executionId}>
                <Link
                  to="/runs/$id"
                  params={{ id: each.executionId }}
                  className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 hover:bg-sunken"
                >
                  <StateBadge state={each.state} small />
                  <span className="num font-medium">{`item ${each.item ?? shortId(each.executionId)}`}</span>
                  <span className="min-w-0 flex-1 truncate font-mono text-xs text-bad max-sm:basis-full">
                    {each.error ? errorText(each.error.type, each.error.message) : each.reason}
                  </span>
                  <span className="text-xs text-accent">Log</span>
                </Link>
              </li>
            ))}
            {more > 0 && (
              <li className="px-4 py-2 text-xs text-ink-2">{`and ${count(more)} more, under Items`}</li>
            )}
          </ul>
        );
      }}
    </Load>
  );
}
