import { ScrollText, SearchX, X } from "lucide-react";
import { brief } from "@/lib/acts";
import { sentence } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Panels";
import { SearchField } from "@/ui/SearchField";

/** Of links: they are not typed, so they are told and can be taken away. */
const EXACT = ["who", "verb", "subject"] as const;
const ALL = ["text", "since", ...EXACT] as const;

export function ActFilters() {
  const [search, setSearch] = useFilters();
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchField
        label="Search who, action or subject"
        className="min-w-60 flex-1"
        value={search.text}
        onChange={(text) => setSearch({ text })}
      />
      <select
        aria-label="Since"
        className="field max-sm:w-full"
        value={search.since ?? ""}
        onChange={(event) => setSearch({ since: event.target.value || undefined })}
      >
        <option value="">Any time</option>
        <option value="24h">Last 24 hours</option>
        <option value="7d">Last 7 days</option>
        <option value="30d">Last 30 days</option>
      </select>
      {EXACT.filter((name) => search[name]).map((name) => (
        <Button
          key={name}
          className="max-w-full"
          aria-label={`No longer only ${name} ${search[name]}`}
          onClick={() => setSearch({ [name]: undefined })}
        >
          <span className="truncate">{`${sentence(name)}: ${brief(search[name] ?? "")}`}</span>
          <X aria-hidden className="size-3.5 shrink-0 text-ink-2" />
        </Button>
      ))}
    </div>
  );
}

/** None at all, or none that fits. */
export function NoActs() {
  const [search, setSearch] = useFilters();
  const clear = () => setSearch(Object.fromEntries(ALL.map((name) => [name, undefined])));
  if (ALL.some((name) => search[name])) {
    return (
      <Empty
        icon={SearchX}
        title="No act fits"
        action={<Button onClick={clear}>Show all acts</Button>}
      >
        Search for a part of a name, such as <code className="font-mono">pause</code>.
      </Empty>
    );
  }
  return (
    <Empty icon={ScrollText} title="No acts on record">
      Whatever people and tokens change from now on appears here.
    </Empty>
  );
}
