import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { breakers } from "@/api/queries";
import type { Breaker } from "@/api/types";
import { plural } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Name } from "@/ui/Name";
import { Card } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { Time } from "@/ui/Time";

/** Jobs that are held back, or would be when too many attempts fail. */
export function Breakers() {
  const query = useQuery(breakers());
  if (!query.data?.items.length) return null;
  return (
    <Card
      title="Breakers"
      flush
      className="mt-5"
      aside="they hold a job back while too many of its attempts fail"
    >
      <ul className="divide-y divide-line">
        {query.data.items.map((each) => (
          <li key={each.job} className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2.5">
            <div className="min-w-0 flex-1 max-sm:basis-full">
              <Link to="/jobs/$id" params={{ id: each.job }} className="hover:underline">
                <Name text={each.job} className="font-medium" />
              </Link>
              <p className="text-xs break-words text-ink-2">
                <Facts breaker={each} />
              </p>
            </div>
            <Tag mood={MOODS[each.state]}>{WORDS[each.state]}</Tag>
            <Actions compact subject="breaker" item={each} id={each.job} name={each.job} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

const WORDS = { closed: "Lets runs start", open: "Holds runs back", half_open: "Tries one run" };
const MOODS = { closed: "ok", open: "bad", half_open: "warn" } as const;

function Facts({ breaker }: { breaker: Breaker }) {
  const { state, rule, held, note, openedAt, good, bad, stays } = breaker;
  if (state === "closed")
    return `${rule ? `Opens when ${rule} fail` : "Opened by hand only"}; ${good} went well and ${bad} failed lately`;
  return (
    <>
      {openedAt && (
        <>
          Since <Time at={openedAt} />,{" "}
        </>
      )}
      {`${plural(held, "run")} held back`}
      {stays && ", until somebody closes it"}
      {note && `: ${note}`}
    </>
  );
}
