import { useEffect, useRef, useState } from "react";
import { serverNow } from "@/lib/clock";
import type { Search } from "@/lib/search";
import { asField, fromField, hereZone, sinceOf } from "@/lib/time";
import { useTyped } from "@/lib/useTyped";

const SINCE: [string, string][] = [
  ["", "Any time"],
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
];
const BETWEEN = "between";

interface Props {
  search: Search;
  setSearch: (patch: Search) => void;
}

/** The last hours, or between two moments; a link to a day of a job has such two. */
export function Period({ search, setSearch }: Props) {
  const [isBetween, change] = usePeriod({ search, setSearch });
  const choose = (key: string) => {
    if (key === BETWEEN) change({ since: sinceOf(search.since ?? "24h", serverNow()) }, true);
    else change({ since: key || undefined, until: undefined }, false);
  };
  return (
    <>
      <select
        aria-label="Since"
        className="field"
        value={isBetween ? BETWEEN : (search.since ?? "")}
        onChange={(event) => choose(event.target.value)}
      >
        {SINCE.map(([key, title]) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
        <option value={BETWEEN}>Between …</option>
      </select>
      {isBetween && (
        <div className="flex w-full flex-wrap items-center gap-x-4 gap-y-2">
          {(["since", "until"] as const).map((name) => (
            <Moment
              key={name}
              label={name === "since" ? "From" : "Until"}
              at={search[name]}
              onChange={(at) => change({ [name]: at }, true)}
            />
          ))}
          <span className="text-xs text-ink-2">{`Times of your zone, ${hereZone()}`}</span>
        </div>
      )}
    </>
  );
}

/** A date is typed in six parts; with each key it is another one, or none. */
const TYPING_MS = 600;

interface MomentProps {
  label: string;
  at: string | undefined;
  onChange: (at: string | undefined) => void;
}

/** Keeps what is typed to itself for a while: set back to what the address says it would lose every key. */
function Moment({ label, at, onChange }: MomentProps) {
  const [text, setText] = useTyped(asField(at), (typed) => onChange(fromField(typed)), TYPING_MS);
  return (
    <label className="flex items-center gap-2 text-xs text-ink-2 max-sm:w-full max-sm:justify-between">
      {label}
      <input
        type="datetime-local"
        className="field"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  );
}

/**
 * Whether there are two moments. The address says so, unless somebody has just emptied both fields,
 * which then stay to be filled in again.
 */
function usePeriod({ search: { since, until }, setSearch }: Props) {
  const isSaid = until !== undefined || !SINCE.some(([key]) => key === (since ?? ""));
  const [isBetween, setBetween] = useState(isSaid);
  const own = useRef<Search>({ since, until });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the address says is of these two
  useEffect(() => {
    if (own.current.since === since && own.current.until === until) return;
    own.current = { since, until };
    setBetween(isSaid);
  }, [since, until]);
  const change = (patch: Search, isNowBetween: boolean) => {
    own.current = { since, until, ...patch };
    setBetween(isNowBetween);
    setSearch(patch);
  };
  return [isBetween, change] as const;
}
