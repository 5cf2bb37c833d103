/** What happened the last time: the traceback and the end of the log, before anybody has to open a run. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { logEnd, run as runQuery } from "@/api/queries";
import type { LogLine, Run } from "@/api/types";
import { parseAnsi } from "@/lib/ansi";
import { errorText } from "@/lib/format";
import { placeOf } from "@/lib/log";
import { buttonClass } from "@/ui/Button";
import { LongText } from "@/ui/LongText";
import { Card, Load } from "@/ui/Panels";
import { Time } from "@/ui/Time";

const LINES = 8;

export function Newest({ id, isOnly }: { id: string; isOnly: boolean }) {
  const query = useQuery(runQuery(id));
  const { data: lines } = useQuery(logEnd(id, LINES));
  if (query.data) return <Told run={query.data} lines={lines ?? []} isOnly={isOnly} />;
  return (
    <Card className="min-h-40" flush>
      <Load query={query}>{() => null}</Load>
    </Card>
  );
}

interface ToldProps {
  run: Run;
  lines: LogLine[];
  isOnly: boolean;
}

function Told({ run, lines, isOnly }: ToldProps) {
  const { executionId: id, error } = run;
  return (
    <Card
      title={isOnly ? "What it said" : "The newest of them"}
      aside={
        <span className="flex items-center gap-3">
          <Time at={run.finishedAt} ago />
          <Link to="/runs/$id" params={{ id }} className={buttonClass()}>
            Open the run
          </Link>
        </span>
      }
    >
      <div className="space-y-3">
        <LongText
          text={error ? errorText(error.type, error.message) : (run.reason ?? "")}
          className="font-mono text-xs text-bad"
        />
        {error?.traceback.includes("\n") && <Text label="Traceback">{error.traceback}</Text>}
        {lines.length > 0 && (
          <Text label="The end of its log">
            {lines.map((line) => (
              <Line key={placeOf(line)} line={line} />
            ))}
          </Text>
        )}
      </div>
    </Card>
  );
}

function Text({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <p className="mb-1 text-xs font-medium text-ink-2">{label}</p>
      <pre
        role="region"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="scroll-thin max-h-56 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs leading-5"
      >
        {children}
      </pre>
    </div>
  );
}

function Line({ line }: { line: LogLine }) {
  return (
    <span className="block">
      {parseAnsi(line.text).map((span, index) => (
        <span key={index} className={span.classes}>
          {span.text}
        </span>
      ))}
    </span>
  );
}
