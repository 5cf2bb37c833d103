import { useQuery } from "@tanstack/react-query";
import { alertRules, session } from "@/api/queries";
import { count } from "@/lib/format";

/** How many incidents are open, beside the way to them. */
export function OpenAlerts() {
  const { data: who } = useQuery(session);
  // Rules are about all queues: who sees some of them is not told.
  const { data } = useQuery({ ...alertRules(), enabled: who !== undefined && !who.queues });
  const open = data?.items.reduce((sum, rule) => sum + rule.open, 0) ?? 0;
  if (open === 0) return null;
  return (
    <span className="num ml-auto rounded-full bg-bad-soft px-1.5 text-2xs font-medium text-bad">
      {count(open)}
      <span className="sr-only">{open === 1 ? " open incident" : " open incidents"}</span>
    </span>
  );
}
