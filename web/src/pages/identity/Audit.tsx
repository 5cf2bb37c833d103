import { useQuery } from "@tanstack/react-query";
import { KeyRound, ShieldCheck } from "lucide-react";
import { useEffect, useRef } from "react";
import { ApiError } from "@/api/client";
import { audit } from "@/api/queries";
import type { Act } from "@/api/types";
import { subjectOf, whoOf } from "@/lib/acts";
import { sentence } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { ListTable } from "@/ui/ListTable";
import { Name } from "@/ui/Name";
import { ErrorPanel, PageHead } from "@/ui/Panels";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { ActFilters, NoActs } from "./ActFilters";
import { OneAct } from "./OneAct";
import { Verified, verification } from "./Verified";

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

export function Audit() {
  const [search, setSearch] = useFilters();
  const { act: named, ...asked } = search;
  const list = useList<Act>(audit(asked));
  const open = useNamed(list, named);
  const setOpen = (act: Act | null) => setSearch({ act: act?.id });
  const verified = useQuery(verification);
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
      <ActFilters />
      <ListTable
        label="Acts"
        list={list}
        columns={COLUMNS}
        idOf={(act) => act.id}
        href={(act) => `/audit?act=${act.id}`}
        onOpen={setOpen}
        narrowHeight={56}
        empty={<NoActs />}
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
