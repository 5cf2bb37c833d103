import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ping as pingQuery, pings } from "@/api/queries";
import type { Monitor, Ping } from "@/api/types";
import { stripAnsi } from "@/lib/ansi";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { ErrorPanel, Load } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import { Duration, Time } from "@/ui/Time";
import { KINDS, pingWords } from "./words";

/** The pings that are kept, the newest first, with the log that came along. */
export function Pings({ monitor }: { monitor: Monitor }) {
  const list = useList<Ping>(pings(monitor.name));
  const [open, setOpen] = useState<number | null>(null);
  if (list.error) return <ErrorPanel error={list.error} retry={() => void list.refetch()} />;
  return (
    <section aria-label="Pings">
      <h3 className="mb-2 font-semibold">Pings</h3>
      {list.rows.length === 0 && !list.loading ? (
        <p className="text-ink-2">Nothing has come yet.</p>
      ) : (
        <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line">
          {list.rows.map((each) => (
            <li key={each.number} className="px-3 py-2">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Tag mood={KINDS[each.kind].mood}>{pingWords(each)}</Tag>
                <Time at={each.at} />
                {each.durationMs !== null && (
                  <span className="text-ink-2">
                    took <Duration ms={each.durationMs} />
                  </span>
                )}
                <span className="min-w-0 flex-1 truncate text-xs text-ink-2" title={each.agent}>
                  {[each.address || each.method, each.agent].filter(Boolean).join(" · ")}
                </span>
                {each.size > 0 && (
                  <Button
                    aria-expanded={open === each.number}
                    onClick={() => setOpen(open === each.number ? null : each.number)}
                  >
                    Log
                  </Button>
                )}
              </div>
              {open === each.number && <PingLog name={monitor.name} number={each.number} />}
            </li>
          ))}
        </ul>
      )}
      {list.more && (
        <Button className="mt-2" onClick={list.onEnd}>
          Older pings
        </Button>
      )}
    </section>
  );
}

function PingLog({ name, number }: { name: string; number: number }) {
  return (
    <Load query={useQuery(pingQuery(name, number))}>
      {({ body, isCut }) => (
        <>
          <pre
            role="log"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too
            tabIndex={0}
            aria-label="Log"
            className="mt-2 max-h-60 overflow-auto rounded-md bg-sunken p-2.5 font-mono text-xs whitespace-pre-wrap break-words"
          >
            {stripAnsi(body)}
          </pre>
          {isCut && <p className="mt-1 text-xs text-ink-2">Only its first 100 kB are kept.</p>}
        </>
      )}
    </Load>
  );
}
