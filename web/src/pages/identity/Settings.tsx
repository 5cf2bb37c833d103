import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { session, version } from "@/api/queries";
import { whoOf } from "@/lib/acts";
import { sentence } from "@/lib/format";
import { chooseKeys, hasKeys } from "@/lib/keys";
import { chooseTheme, storedTheme, type Theme } from "@/lib/theme";
import { hereZone } from "@/lib/time";
import { ALL_PLACES } from "@/shell/nav";
import { Card, Fact, Facts, Load, PageHead } from "@/ui/Panels";

const THEMES: Theme[] = ["system", "light", "dark"];

export function Settings() {
  const [theme, setTheme] = useState(storedTheme());
  const who = useQuery(session);
  const server = useQuery(version());
  return (
    <>
      <PageHead title="Settings" />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="This browser">
          <fieldset className="mb-4 flex flex-wrap gap-5">
            <legend className="mb-1.5 font-medium">Theme</legend>
            {THEMES.map((each) => (
              <label key={each} className="flex items-center gap-2">
                <input
                  type="radio"
                  name="theme"
                  checked={theme === each}
                  onChange={() => {
                    setTheme(each);
                    chooseTheme(each);
                  }}
                />
                {sentence(each)}
              </label>
            ))}
          </fieldset>
          <p className="text-ink-2">{zoneText(hereZone())}</p>
        </Card>
        <Card title="You">
          <Load query={who}>
            {(data) => (
              <Facts>
                <Fact name="Signed in as">{whoOf(data.who)}</Fact>
                <Fact name="Namespace">{data.namespace}</Fact>
                <Fact name="Queues">{data.queues ? data.queues.join(", ") : "all of them"}</Fact>
                <Fact name="Roles">{data.roles.join(", ")}</Fact>
              </Facts>
            )}
          </Load>
        </Card>
        <Card title="Server">
          <Load query={server}>
            {(data) => (
              <Facts>
                {Object.entries(data).map(([name, value]) => (
                  <Fact key={name} name={sentence(name)}>
                    {String(value)}
                  </Fact>
                ))}
              </Facts>
            )}
          </Load>
          <p className="mt-3">
            <a href="/docs" className="link">
              API reference
            </a>
          </p>
        </Card>
        <Card title="Keys" className="max-sm:hidden">
          <label className="mb-3 flex items-center gap-2">
            <input
              type="checkbox"
              defaultChecked={hasKeys()}
              onChange={(event) => chooseKeys(event.target.checked)}
            />
            Single keys are shortcuts
          </label>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
            <Key keys="Ctrl K" does="Search and commands" />
            <Key keys="/" does="Filter this list" />
            <Key keys="↑ ↓ or j k" does="Move in a list" />
            <Key keys="← ↑ → ↓" does="Move in a graph, a grid, a chart" />
            <Key keys="Enter" does="Open the row" />
            <Key keys="[ ]" does="The run before, the run after" />
            <Key keys="Space" does="Select the row" />
            {ALL_PLACES.map((place) => (
              <Key key={place.to} keys={place.keys} does={place.title} />
            ))}
          </dl>
        </Card>
      </div>
    </>
  );
}

/** Where it is UTC there is nothing else to be seen. */
export function zoneText(zone: string): string {
  const isUtc = ["UTC", "Etc/UTC", "Etc/GMT", "GMT"].includes(zone);
  return isUtc
    ? "Times are shown in UTC."
    : `Times are shown in ${zone}; hover over one to see it in UTC.`;
}

function Key({ keys, does }: { keys: string; does: string }) {
  return (
    <>
      <dt>
        <kbd className="rounded border border-line-strong bg-sunken px-1.5 font-mono text-xs">
          {keys}
        </kbd>
      </dt>
      <dd className="text-ink-2">{does}</dd>
    </>
  );
}
