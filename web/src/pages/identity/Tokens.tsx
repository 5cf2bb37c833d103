import { KeyRound } from "lucide-react";
import { tokens } from "@/api/queries";
import type { Token } from "@/api/types";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Actions } from "@/ui/Actions";
import { ListTable } from "@/ui/ListTable";
import { Name } from "@/ui/Name";
import { Empty, ErrorPanel } from "@/ui/Panels";
import type { Column } from "@/ui/Table";
import { Time, useNow } from "@/ui/Time";
import { OneToken } from "./OneToken";
import { stateOf, TokenTag } from "./TokenTag";

const COLUMNS: Column<Token>[] = [
  {
    key: "name",
    title: "Token",
    main: true,
    width: "minmax(0,1.4fr)",
    cell: (token) => (
      <>
        <span className="flex items-center gap-2">
          <Name text={token.name} className="font-medium" />
          <Unusual token={token} />
        </span>
        <span className="block truncate text-xs text-ink-2 sm:hidden">
          {token.roles.join(", ")} · used <Time at={token.usedAt} ago none="never" />
        </span>
      </>
    ),
  },
  {
    key: "roles",
    title: "Roles",
    width: "minmax(0,1fr)",
    from: "sm",
    cell: (token) => <span title={token.roles.join(", ")}>{token.roles.join(", ")}</span>,
  },
  {
    key: "queues",
    title: "Queues",
    width: "minmax(0,1fr)",
    from: "md",
    cell: (token) => (
      <span className="text-ink-2" title={token.queues?.join(", ")}>
        {token.queues?.join(", ") || "all"}
      </span>
    ),
  },
  {
    key: "made",
    title: "Created",
    width: "9rem",
    right: true,
    from: "lg",
    cell: (token) => <Time at={token.createdAt} />,
  },
  {
    key: "used",
    title: "Last used",
    width: "7rem",
    right: true,
    from: "sm",
    cell: (token) => <Time at={token.usedAt} ago none="never" />,
  },
  {
    key: "ends",
    title: "Expires",
    width: "7rem",
    right: true,
    from: "md",
    cell: (token) => <Time at={token.expiresAt} ago none="never" />,
  },
  {
    key: "act",
    title: "",
    width: "var(--tap)",
    cell: (token) => (
      <Actions compact subject="token" item={token} id={token.id} name={token.name} />
    ),
  },
];

/** Most tokens are good; only what is not needs a word. */
function Unusual({ token }: { token: Token }) {
  return stateOf(token, useNow()) === "good" ? null : <TokenTag token={token} />;
}

export function Tokens() {
  const [search, setSearch] = useFilters();
  const list = useList<Token>(tokens(search.past === "true"));
  const open = list.rows.find((each) => each.id === search.id);
  if (list.error) return <ErrorPanel error={list.error} retry={() => void list.refetch()} />;
  return (
    <>
      <label className="mb-3 flex min-h-(--tap) w-fit items-center gap-2 text-ink-2">
        <input
          type="checkbox"
          checked={search.past === "true"}
          onChange={(event) => setSearch({ past: event.target.checked ? "true" : undefined })}
        />
        Also those that are revoked or expired
      </label>
      <ListTable
        label="Tokens"
        list={list}
        columns={COLUMNS}
        narrowHeight={56}
        idOf={(token) => token.id}
        href={(token) => `/access?id=${token.id}`}
        onOpen={(token) => setSearch({ id: token.id })}
        empty={
          <Empty icon={KeyRound} title="No tokens">
            Programs sign in with a token; make one for each.
          </Empty>
        }
      />
      {open && <OneToken token={open} onClose={() => setSearch({ id: undefined })} />}
    </>
  );
}
