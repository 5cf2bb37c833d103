import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, CircleCheck } from "lucide-react";
import { deadGroups, deadLetters } from "@/api/queries";
import type { DeadGroup, DeadLetter } from "@/api/types";
import { count, errorText, sentence, shortId } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { useWidth, WIDTHS } from "@/lib/useWidth";
import { Button } from "@/ui/Button";
import { ListTable } from "@/ui/ListTable";
import { Card, Empty, Load, PageHead } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { Many } from "./Many";
import { Newest } from "./Newest";
import { One } from "./One";

export function DeadLetters() {
  const [search, setSearch] = useFilters();
  const query = useQuery(deadGroups());
  // The first cause at once where both have room; on a phone they are two pages.
  const isWide = useWidth() >= WIDTHS.xl;
  const chosenOf = ([first]: DeadGroup[]) => search.group ?? (isWide ? first?.group : undefined);
  return (
    <>
      <PageHead
        title="Dead letters"
        about="Runs that failed for good, by cause. Redrive runs them again with a clean count of attempts."
      />
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Card>
              <Empty icon={CircleCheck} title="No dead letters">
                A run comes here when it has used up its retries. There is nothing to do.
              </Empty>
            </Card>
          ) : (
            <div className="grid items-start gap-4 xl:grid-cols-[26rem_minmax(0,1fr)]">
              {search.group && (
                <Button
                  className="justify-self-start xl:hidden"
                  icon={<ArrowLeft className="size-3.5" />}
                  onClick={() => setSearch({ group: undefined })}
                >
                  All causes
                </Button>
              )}
              <Groups
                items={items}
                chosen={chosenOf(items)}
                choose={(group) => setSearch({ group })}
              />
              {chosenOf(items) && (
                <Letters
                  group={items.find((each) => each.group === chosenOf(items))}
                  id={chosenOf(items) ?? ""}
                  open={(id) => setSearch({ id })}
                />
              )}
            </div>
          )
        }
      </Load>
      {search.id && (
        <One key={search.id} id={search.id} onClose={() => setSearch({ id: undefined })} />
      )}
    </>
  );
}

interface GroupsProps {
  items: DeadGroup[];
  chosen: string | undefined;
  choose: (group: string) => void;
}

function Groups({ items, chosen, choose }: GroupsProps) {
  return (
    <Card flush>
      <ul className="divide-y divide-line">
        {items.map((each) => (
          // On a phone the chosen one alone: its runs would be below all others.
          <li
            key={each.group}
            className={chosen && each.group !== chosen ? "max-xl:hidden" : undefined}
          >
            <button
              type="button"
              aria-pressed={each.group === chosen}
              onClick={() => choose(each.group)}
              className={`flex w-full gap-3 px-4 py-3 text-left hover:bg-sunken ${each.group === chosen ? "bg-accent-soft" : ""}`}
            >
              <span className="num min-w-8 text-right text-base font-semibold text-bad">
                {count(each.open)}
              </span>
              <span className="min-w-0 flex-1">
                <span className="line-clamp-2 font-mono text-xs break-words">
                  {errorText(each.errorType, each.message)}
                </span>
                <span className="mt-0.5 block truncate text-xs text-ink-2">
                  {each.job} · <Time at={each.lastAt} ago />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** All of one cause are of one job: what differs is the run, and what its error says. */
const COLUMNS: Column<DeadLetter>[] = [
  {
    key: "id",
    title: "Run",
    width: "6rem",
    from: "sm",
    cell: (each) => <span className="font-mono text-xs">{shortId(each.executionId)}</span>,
  },
  {
    key: "error",
    title: "Error",
    main: true,
    width: "minmax(0,1fr)",
    cell: (each) => (
      <>
        <span className="block truncate font-mono text-xs" title={each.message}>
          {each.message}
        </span>
        <span className="block truncate text-xs text-ink-2 sm:hidden">
          {shortId(each.executionId)}
          {each.state !== "open" && ` · ${each.state}`}
        </span>
      </>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "6.5rem",
    from: "sm",
    cell: (each) => <LetterTag letter={each} />,
  },
  {
    key: "at",
    title: "Died",
    width: "8rem",
    right: true,
    cell: (each) => <Time at={each.diedAt} />,
  },
];

function LetterTag({ letter: { state } }: { letter: DeadLetter }) {
  if (state === "open") return <span className="text-ink-2">Open</span>;
  return <Tag mood={state === "redriven" ? "ok" : "idle"}>{sentence(state)}</Tag>;
}

function Letters({
  group,
  id,
  open,
}: {
  group: DeadGroup | undefined;
  id: string;
  open: (id: string) => void;
}) {
  const list = useList<DeadLetter>(deadLetters(id));
  const [newest] = list.rows;
  return (
    <div className="min-w-0 space-y-3">
      {group && (
        <div className="flex flex-wrap gap-2">
          <Many group={group} verb="redrive" />
          <Many group={group} verb="discard" />
        </div>
      )}
      {newest && (
        <Newest key={newest.executionId} id={newest.executionId} isOnly={list.rows.length === 1} />
      )}
      <ListTable
        label="Dead letters of this cause"
        list={list}
        columns={COLUMNS}
        idOf={(each) => each.executionId}
        href={(each) => `/dead-letters?group=${id}&id=${each.executionId}`}
        onOpen={(each) => open(each.executionId)}
        empty={<Empty title="None left of this cause" />}
      />
    </div>
  );
}
