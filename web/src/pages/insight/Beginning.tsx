import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { may } from "@/api/actions";
import { jobs, session } from "@/api/queries";
import type { Job } from "@/api/types";
import { useList } from "@/lib/useList";
import { buttonClass } from "@/ui/Button";
import { CopyButton } from "@/ui/Copy";
import { Card } from "@/ui/Panels";

const CODE = `from rota import App

app = App()

@app.job(schedule="@every 1m")
def hello(name: str = "world") -> str:
    print(f"Hello, {name}!")
    return name`;

/** Of a server that has no jobs: three ways to the first one, each of them whole. */
export default function Beginning() {
  const list = useList<Job>(jobs());
  const { data: who } = useQuery(session);
  if (list.loading || list.error || list.rows.length > 0) return null;
  return (
    <Card title="Your first job">
      <ol className="grid gap-6 lg:grid-cols-3">
        <Way title="In Python">
          <p>
            Save this as <code className="font-mono">jobs.py</code>:
          </p>
          <Code text={CODE} />
          <p>Start it in the folder of this server, or with the same store:</p>
          <Code text="rota up jobs.py" />
        </Way>
        <Way title="From a file">
          <p>
            Jobs, schedules and calendars as text, which can be looked through before they count:
          </p>
          <Code text={"rota plan jobs.yaml\nrota apply jobs.yaml"} />
          <p>
            <code className="font-mono">rota apply --help</code> tells what such a file says.
          </p>
        </Way>
        <Way title="Here">
          <p>A command or a request to an address, with a schedule if it needs one. No code.</p>
          {may(who, "create-job") ? (
            <p>
              <Link to="/jobs" search={{ new: "job" } as never} className={buttonClass("primary")}>
                New job
              </Link>
            </p>
          ) : (
            <p>Your role may look only; somebody with the role author can do it.</p>
          )}
        </Way>
      </ol>
    </Card>
  );
}

function Way({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="min-w-0 space-y-2 text-ink-2">
      <h3 className="font-semibold text-ink">{title}</h3>
      {children}
    </li>
  );
}

function Code({ text }: { text: string }) {
  return (
    <div className="relative">
      <pre
        role="region"
        aria-label="Example"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="scroll-thin overflow-x-auto rounded-md bg-sunken p-3 pr-10 font-mono text-xs leading-5 text-ink"
      >
        {text}
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={text} />
      </div>
    </div>
  );
}
