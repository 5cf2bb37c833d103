import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { failedParts } from "@/api/queries";
import type { GraphNode, Run } from "@/api/types";
import { errorText, shortId } from "@/lib/format";
import { Load } from "@/ui/Panels";
import { StateBadge } from "@/ui/State";

const SHOWN = 6;

/** Which instances of a mapped node failed, and with what: each leads to its log. */
export function Instances({ run, node }: { run: Run; node: GraphNode }) {
  const query = useQuery(failedParts(run.executionId));
  return (
    <Load query={query} lines={2}>
      {({ items }) => {
        const failed = items.filter((each) => each.node === node.name);
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
          </ul>
        );
      }}
    </Load>
  );
}
