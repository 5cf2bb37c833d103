import { queryOptions, useQuery } from "@tanstack/react-query";
import { KeyRound, ScrollText, SearchX, ShieldCheck, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { type Answer, ApiError, ask } from "@/api/client";
import { audit } from "@/api/queries";
import type { Act } from "@/api/types";
import { brief, subjectOf, whoOf } from "@/lib/acts";
import { plural, sentence } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { ListTable } from "@/ui/ListTable";
import { Name } from "@/ui/Name";
import { Empty, ErrorPanel, PageHead } from "@/ui/Panels";
import { SearchField } from "@/ui/SearchField";
import { Tag } from "@/ui/State";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { OneAct } from "./audit/OneAct";

const COLUMNS: Column<Act>[] = [
  {
    key: "at",
    title: "When",
    width: "9.5rem",
    from: "sm",
    cell: (act) => <Time at={act.at} />,
  },
  {
    key: "who",
    title: "Who",
    width: "minmax(0,1fr)",
    from: "sm",
    cell: (act) => <Who act={act} />,
  },
  {
    key: "act",
    title: "Action",
    width: "10rem",
    from: "md",
    cell: (act) => sentence(act.verb),
  },
  {
    key: "subject",
    title: "What",
    main: true,
    width: "minmax(0,2fr)",
    cell: (act) => (
      <>
        <span className="flex gap-1.5">
          <span className="shrink-0 md:hidden">{sentence(act.verb)}</span>
          <Name text={subjectOf(act).text} className="font-medium" />
        </span>
        <span className="flex items-center gap-3 text-xs text-ink-2 sm:hidden">
          <Who act={act} />
          <span className="ml-auto">
            <Time at={act.at} />
          </span>
        </span>
      </>
    ),
  },
  {
    key: "address",
    title: "From",
    width: "8rem",
    from: "lg",
    cell: (act) => <span className="num text-ink-2">{act.address ?? "–"}</span>,
  },
];

/** A key marks a program or a person with a token; others sign in by their own name. */
function Who({ act }: { act: Act }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={act.who}>
      {act.who.startsWith("token:") && (
        <KeyRound aria-label="Token" className="size-3.5 shrink-0 text-ink-3" />
      )}
      <span className="truncate">{whoOf(act.who)}</span>
    </span>
  );
}

const ABOUT = "Who changed what, kept in a chain that shows if somebody altered it.";
/** Of links: they are not typed, so they are told and can be taken away. */
const EXACT = ["who", "verb", "subject"] as const;

export function Audit() {
  const [search, setSearch] = useFilters();
  const { act: named, ...asked } = search;
  const list = useList<Act>(audit(asked));
  const open = useNamed(list, named);
  const setOpen = (act: Act | null) => setSearch({ act: act?.id });
  const verified = useQuery(verification);
  const exact = EXACT.filter((name) => search[name]);
  const isFiltered = exact.length > 0 || Boolean(search.text || search.since);
  const clear = () =>
    setSearch({
      text: undefined,
      who: undefined,
      verb: undefined,
      subject: undefined,
      since: undefined,
    });
  if (list.error instanceof ApiError && list.error.status === 403) {
    return (
      <>
        <PageHead title="Audit" about={ABOUT} />
        <ErrorPanel error={list.error} />
      </>
    );
  }
  return (
    <>
      <PageHead
        title="Audit"
        about={verified.data || verified.error ? <Verified {...verified} /> : ABOUT}
        actions={
          <Button
            busy={verified.isFetching}
            icon={<ShieldCheck className="size-3.5" />}
            onClick={() => void verified.refetch()}
          >
            Verify
          </Button>
        }
      />
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
        {exact.map((name) => (
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
      <ListTable
        label="Acts"
        list={list}
        columns={COLUMNS}
        idOf={(act) => act.id}
        href={(act) => `/audit?act=${act.id}`}
        onOpen={setOpen}
        narrowHeight={56}
        empty={
          isFiltered ? (
            <Empty
              icon={SearchX}
              title="No act fits"
              action={<Button onClick={clear}>Show all acts</Button>}
            >
              Search for a part of a name, such as <code className="font-mono">pause</code>.
            </Empty>
          ) : (
            <Empty icon={ScrollText} title="No acts on record">
              Whatever people and tokens change from now on appears here.
            </Empty>
          )
        }
      />
      {open && <OneAct act={open} onClose={() => setOpen(null)} />}
    </>
  );
}

/** How many further pages are looked through for the act that an address names. */
const MOST_PAGES = 20;

function useNamed(list: { rows: Act[]; more: boolean; onEnd: () => void }, id: string | undefined) {
  const { rows, more, onEnd } = list;
  const tries = useRef(0);
  const found = rows.find((act) => act.id === id);
  const isFurther = id !== undefined && !found && more;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that came
  useEffect(() => {
    if (!isFurther || tries.current >= MOST_PAGES) return;
    tries.current += 1;
    onEnd();
  }, [isFurther, rows.length]);
  return found ?? null;
}

const verification = queryOptions({
  queryKey: ["audit-verify"],
  queryFn: ({ signal }) => ask("verifyActs", { signal }),
  enabled: false,
});

interface VerifiedProps {
  data: Answer<"verifyActs"> | undefined;
  error: Error | null;
}

/** In place of what the page is about, so that nothing moves. */
function Verified({ data, error }: VerifiedProps) {
  if (error) return <Tag mood="bad">{error.message}</Tag>;
  if (!data) return null;
  const told = `${plural(data.acts, "act")} checked, none altered`;
  return <Tag mood={data.isGood ? "ok" : "bad"}>{data.says || told}</Tag>;
}
