import { useQuery } from "@tanstack/react-query";
import { ScrollText, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { ApiError, ask } from "@/api/client";
import { audit } from "@/api/queries";
import type { Act } from "@/api/types";
import { plural } from "@/lib/format";
import { sinceOf } from "@/lib/time";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { JsonView } from "@/ui/Json";
import { Empty, ErrorPanel, PageHead } from "@/ui/Panels";
import { SearchField } from "@/ui/SearchField";
import { Tag } from "@/ui/State";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";

const COLUMNS: Column<Act>[] = [
  {
    key: "at",
    title: "When",
    width: "clamp(7rem,24vw,9.5rem)",
    cell: (act) => <Time at={act.at} />,
  },
  {
    key: "who",
    title: "Who",
    width: "minmax(0,1fr)",
    from: "sm",
    cell: (act) => <span className="font-medium">{act.who}</span>,
  },
  {
    key: "act",
    title: "What",
    width: "minmax(0,2fr)",
    cell: (act) => (
      <>
        <span className="mr-2">{act.verb}</span>
        <span className="font-mono text-xs text-ink-2">{act.subject}</span>
        <span className="block truncate text-2xs text-ink-2 sm:hidden">{act.who}</span>
      </>
    ),
  },
  {
    key: "address",
    title: "From",
    width: "8rem",
    from: "lg",
    cell: (act) => <span className="text-ink-2">{act.address ?? "–"}</span>,
  },
];

const ABOUT = "Who changed what, kept in a chain that shows if somebody altered it.";

export function Audit() {
  const [search, setSearch] = useFilters();
  const [open, setOpen] = useState<Act | null>(null);
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const list = useList<Act>(audit({ ...search, since: sinceOf(search.since, minute) }));
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
      <PageHead title="Audit" about={ABOUT} actions={<Verify />} />
      <div className="mb-3 flex flex-wrap gap-2">
        <SearchField
          label="Who"
          className="min-w-40 flex-1"
          value={search.who}
          onChange={(who) => setSearch({ who })}
        />
        <SearchField
          label="Action"
          className="min-w-32 flex-1"
          value={search.verb}
          onChange={(verb) => setSearch({ verb })}
        />
        <select
          aria-label="Since"
          className="field"
          value={search.since ?? ""}
          onChange={(event) => setSearch({ since: event.target.value || undefined })}
        >
          <option value="">Any time</option>
          <option value="24h">Last 24 hours</option>
          <option value="7d">Last 7 days</option>
          <option value="30d">Last 30 days</option>
        </select>
      </div>
      {list.error ? (
        <ErrorPanel error={list.error} retry={() => void list.refetch()} />
      ) : (
        <Table
          label="Acts"
          rows={list.rows}
          columns={COLUMNS}
          idOf={(act) => act.id}
          onOpen={setOpen}
          onEnd={list.onEnd}
          loading={list.loading}
          empty={
            <Empty icon={ScrollText} title="No acts on record">
              Whatever people and tokens change from now on appears here.
            </Empty>
          }
        />
      )}
      <Dialog
        open={open !== null}
        wide
        title={open ? `${open.verb} ${open.subject}` : ""}
        onClose={() => setOpen(null)}
      >
        {open && (
          <div className="space-y-3">
            <p>
              {open.who}, <Time at={open.at} />
              {open.address && `, from ${open.address}`}
            </p>
            <JsonView value={open.detail ?? {}} label="Details" />
            {open.hash && (
              <p className="font-mono text-2xs break-all text-ink-2">{`${open.seq ?? ""} ${open.hash}`}</p>
            )}
          </div>
        )}
      </Dialog>
    </>
  );
}

function Verify() {
  const query = useQuery({
    queryKey: ["audit-verify"],
    queryFn: ({ signal }) => ask("verifyActs", { signal }),
    enabled: false,
  });
  return (
    <>
      {query.data && (
        <span className="self-center">
          <Tag mood={query.data.isGood ? "ok" : "bad"}>
            {query.data.says || `${plural(query.data.acts, "act")}, none altered`}
          </Tag>
        </span>
      )}
      {query.error && (
        <span className="self-center">
          <Tag mood="bad">{query.error.message}</Tag>
        </span>
      )}
      <Button
        busy={query.isFetching}
        icon={<ShieldCheck className="size-3.5" />}
        onClick={() => void query.refetch()}
      >
        Verify
      </Button>
    </>
  );
}
