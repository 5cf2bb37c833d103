import { Unplug } from "lucide-react";
import { useEffect, useState } from "react";
import { serverNow } from "@/lib/clock";
import { clock } from "@/lib/time";
import { useNow } from "@/ui/Time";
import { useLive, useStreamState } from "./live";

/** A server that starts again is back sooner; nobody needs to read about that. */
const PATIENCE_MS = 6_000;

/** Says over every page that what it shows is old, and since when. */
export function Stale() {
  const state = useStreamState();
  const isCut = state === "waiting" || state === "connecting" || state === "away";
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => setSince(isCut ? serverNow() : null), [isCut]);
  // There before it speaks: readers miss what comes together with its place.
  return <div role="status">{since !== null && <Note since={since} />}</div>;
}

function Note({ since }: { since: number }) {
  const now = useNow();
  const { isWithoutDatabase } = useLive();
  const told = isWithoutDatabase
    ? "The server cannot reach its database since"
    : "No connection to the server since";
  if (now - since < PATIENCE_MS) return null;
  return (
    <p className="mb-4 flex items-center gap-2.5 rounded-lg border border-warn/30 bg-warn-soft px-4 py-2.5">
      <Unplug aria-hidden className="size-4 shrink-0 text-warn" />
      <span>
        {`${told} ${clock(since, now)}: what you see may be old. It is tried again all the time.`}
      </span>
    </p>
  );
}
