import type { Monitor } from "@/api/types";
import { CopyButton } from "@/ui/Copy";
import { linesFor } from "./words";

/** What the job pings, in lines that are ready to be copied. */
export function Addresses({ monitor }: { monitor: Monitor }) {
  if (monitor.isMasked) {
    return (
      <p className="text-ink-2">
        Whoever has the address can ping, so it is shown to operators and not to viewers.
      </p>
    );
  }
  return (
    <dl className="space-y-2">
      {linesFor(monitor, location.origin).map(([title, line]) => (
        <div key={title} className="grid gap-x-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
          <dt className="self-center text-ink-2">{title}</dt>
          <dd className="flex items-center gap-2 rounded-md bg-sunken py-0.5 pr-1 pl-2.5">
            <code className="min-w-0 flex-1 font-mono text-xs break-all">{line}</code>
            <CopyButton text={line} label={`Copy: ${title}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
