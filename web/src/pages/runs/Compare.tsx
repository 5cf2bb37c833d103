import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitCompare } from "lucide-react";
import { run as runQuery, runs } from "@/api/queries";
import type { Run } from "@/api/types";
import { serverNow } from "@/lib/clock";
import { COMPARED_LINES, diffLines } from "@/lib/diff";
import { count, errorText, pretty, shortId } from "@/lib/format";
import { clock, duration } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Card, Empty, ErrorPanel, Load } from "@/ui/Panels";
import { lookOf, stateOf } from "@/ui/State";

/** This run beside another of the same job: what differs stands out. */
export function Compare({ run }: { run: Run }) {
  const [search, setSearch] = useFilters();
  const others = useList<Run>(runs({ jobId: run.jobId, limit: 50 }));
  const rows = others.rows.filter((each) => each.executionId !== run.executionId);
  const chosen = search.with ?? bestOf(run, rows)?.executionId;
  if (!chosen && others.error)
    return <ErrorPanel error={others.error} retry={() => void others.refetch()} />;
  if (!chosen && !others.loading) {
    return (
      <Card flush>
        <Empty icon={GitCompare} title="No other run of this job to compare with">
          Rerun it, with other arguments if you like; then both stand here side by side.
        </Empty>
      </Card>
    );
  }
  return (
    <div className="space-y-4">
      <label className="flex flex-wrap items-center gap-2">
        Compare with
        <select
          className="field min-w-0 max-w-full"
          value={chosen ?? ""}
          onChange={(event) => setSearch({ with: event.target.value })}
        >
          {chosen && !rows.some((each) => each.executionId === chosen) && (
            <option value={chosen}>{shortId(chosen)}</option>
          )}
          {rows.map((each) => (
            <option key={each.executionId} value={each.executionId}>
              {`${shortId(each.executionId)} · ${lookOf(stateOf(each)).word} · ${clock(each.createdAt, serverNow())}`}
            </option>
          ))}
        </select>
      </label>
      {chosen && <Other run={run} id={chosen} />}
    </div>
  );
}

/** With a failure, the last one before it that went well tells most; by ids, as many have one time. */
export function bestOf(run: Run, rows: Run[]): Run | undefined {
  const good = run.state === "success" ? [] : rows.filter((each) => each.state === "success");
  return good.find((each) => each.executionId < run.executionId) ?? good[0] ?? rows[0];
}

function Other({ run, id }: { run: Run; id: string }) {
  const query = useQuery(runQuery(id));
  return (
    <Load query={query}>
      {(other) => (
        <div className="space-y-4">
          <Card flush>
            <table className="w-full table-fixed text-left">
              <thead className="border-b border-line text-xs text-ink-2">
                <tr>
                  <th className="w-28 px-4 py-2 font-medium max-sm:w-22 max-sm:px-3">
                    <span className="sr-only">Fact</span>
                  </th>
                  <th className="px-4 py-2 font-medium">This run</th>
                  <th className="px-4 py-2 font-medium">
                    <Link to="/runs/$id" params={{ id }} className="link">
                      {shortId(id)}
                    </Link>
                    {other.jobId !== run.jobId && ` of ${other.jobId}`}
                  </th>
                </tr>
              </thead>
              <tbody className="divide-y divide-line">
                {factsOf(run).map(([name, mine], index) => {
                  const theirs = factsOf(other)[index]?.[1] ?? "–";
                  return (
                    <tr key={name} className={mine === theirs ? "text-ink-2" : "bg-warn-soft/60"}>
                      <th className="px-4 py-1.5 font-normal">{name}</th>
                      <td className="px-4 py-1.5 break-words">{mine}</td>
                      <td className="px-4 py-1.5 break-words">{theirs}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </Card>
          <Difference
            title="Arguments"
            before={pretty(other.args)}
            after={pretty(run.args)}
            legend={`− ${shortId(id)}, + this run`}
          />
          <Difference
            title="Result"
            before={pretty(other.result)}
            after={pretty(run.result)}
            legend={`− ${shortId(id)}, + this run`}
          />
        </div>
      )}
    </Load>
  );
}

function factsOf(run: Run): [string, string][] {
  return [
    ["State", lookOf(stateOf(run)).word],
    ["Started", run.startedAt ? clock(run.startedAt, serverNow()) : "–"],
    ["Took", duration(run.durationMs)],
    ["Attempts", String(run.attempt)],
    ["Version", run.version ? `v${run.version}` : "–"],
    ["Queue", run.queue],
    ["Worker", run.workerId ? shortId(run.workerId) : "–"],
    ["Error", run.error ? errorText(run.error.type, run.error.message) : "–"],
  ];
}

const CUT = `Only the first ${count(COMPARED_LINES)} lines of each are compared.`;

export function Difference({
  title,
  before,
  after,
  legend,
}: {
  title: string;
  before: string;
  after: string;
  /** Which side is which, where the title does not say it. */
  legend?: string;
}) {
  const { lines, isCut } = diffLines(before, after);
  const looks = { same: "", gone: "bg-bad-soft", new: "bg-ok-soft" };
  const signs = { same: " ", gone: "-", new: "+" };
  return (
    <Card title={title} flush aside={before === after ? "The same" : legend}>
      <pre
        role="region"
        aria-label={`Difference of ${title.toLowerCase()}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="scroll-thin max-h-96 overflow-auto py-2 font-mono text-xs leading-5"
      >
        {lines.map((line, index) => (
          <div
            key={index}
            className={`px-4 ${looks[line.kind]}`}
          >{`${signs[line.kind]} ${line.text}`}</div>
        ))}
        {isCut && <p className="px-4 pt-2 font-sans text-ink-2">{CUT}</p>}
      </pre>
    </Card>
  );
}
