import { useQuery } from "@tanstack/react-query";
import { MailX, SearchX } from "lucide-react";
import { alertChannels, alertMessages } from "@/api/queries";
import type { AlertMessage } from "@/api/types";
import { plural, sentence } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Dialog } from "@/ui/Dialog";
import { ListTable } from "@/ui/ListTable";
import { Empty, Fact } from "@/ui/Panels";
import { Tag } from "@/ui/State";
import type { Column } from "@/ui/Table";
import { Time } from "@/ui/Time";

const COLUMNS: Column<AlertMessage>[] = [
  {
    key: "state",
    title: "State",
    width: "6.5rem",
    cell: (each) => <MessageTag message={each} />,
  },
  {
    key: "title",
    title: "Message",
    main: true,
    width: "minmax(0,2fr)",
    cell: (each) => (
      <>
        <span className="block truncate font-medium" title={each.title}>
          {each.title}
        </span>
        <span className="block truncate text-xs text-ink-2">
          <Outcome message={each} />
        </span>
      </>
    ),
  },
  {
    key: "channel",
    title: "Channel",
    width: "minmax(0,0.8fr)",
    from: "sm",
    cell: (each) => <span title={each.channel}>{each.channel}</span>,
  },
  {
    key: "rule",
    title: "Rule",
    width: "minmax(0,0.8fr)",
    from: "lg",
    cell: (each) => each.rule ?? <span className="text-ink-3">–</span>,
  },
  {
    key: "tries",
    title: "Tries",
    width: "4rem",
    right: true,
    from: "md",
    cell: (each) => each.tries,
  },
  {
    key: "at",
    title: "Made",
    width: "9rem",
    right: true,
    from: "md",
    cell: (each) => <Time at={each.at} />,
  },
];

export function MessageTag({ message: { state, tries } }: { message: AlertMessage }) {
  if (state === "sent") return <Tag mood="ok">Sent</Tag>;
  if (state === "given_up") return <Tag mood="bad">Given up</Tag>;
  return tries > 0 ? <Tag mood="warn">Retrying</Tag> : <Tag mood="wait">Waiting</Tag>;
}

/** What became of it: when it arrived, or why not and what comes next. */
export function Outcome({ message }: { message: AlertMessage }) {
  const { state, sentAt, nextAt, error, tries } = message;
  if (state === "sent") {
    return (
      <>
        {`Arrived at the ${tries === 1 ? "first" : `${tries}.`} try, `}
        <Time at={sentAt} ago />
      </>
    );
  }
  if (state === "given_up") return <>{error ?? "Its channel was removed."}</>;
  if (!error) return <>It is sent within seconds, while a worker or a server runs.</>;
  return (
    <>
      {`${error} · ${plural(tries, "try", "tries")}, the next `}
      <Time at={nextAt} ago />
    </>
  );
}

const STATES = [
  ["waiting", "Waiting"],
  ["sent", "Sent"],
  ["given_up", "Given up"],
] as const;

export function Messages() {
  const [search, setSearch] = useFilters();
  const { channel } = search;
  const status = STATES.find(([key]) => key === search.status)?.[0];
  const list = useList<AlertMessage>(alertMessages({ channel, status }));
  const { data } = useQuery(alertChannels());
  const open = list.rows.find(({ id }) => id === search.id);
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        <select
          aria-label="State"
          className="field max-sm:w-full"
          value={status ?? ""}
          onChange={(event) => setSearch({ status: event.target.value || undefined })}
        >
          <option value="">Any state</option>
          {STATES.map(([key, title]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
        <select
          aria-label="Channel"
          className="field max-sm:w-full"
          value={channel ?? ""}
          onChange={(event) => setSearch({ channel: event.target.value || undefined })}
        >
          <option value="">All channels</option>
          {data?.items.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <ListTable
        label="Messages"
        list={list}
        columns={COLUMNS}
        rowHeight={52}
        narrowHeight={60}
        idOf={(each) => each.id}
        onOpen={(each) => setSearch({ id: each.id })}
        empty={
          channel || status ? (
            <Empty icon={SearchX} title="No message fits" />
          ) : (
            <Empty icon={MailX} title="No messages yet">
              What rules send to channels appears here, with its tries and errors.
            </Empty>
          )
        }
      />
      {open && <OneMessage message={open} onClose={() => setSearch({ id: undefined })} />}
    </>
  );
}

interface OneProps {
  message: AlertMessage;
  onClose: () => void;
}

/** All of a message that a row has no room for. */
function OneMessage({ message, onClose }: OneProps) {
  const { title, channel, rule, kind, tries, at } = message;
  return (
    <Dialog open title={title} onClose={onClose}>
      <div className="space-y-3">
        <p className="flex flex-wrap items-center gap-2 break-words">
          <MessageTag message={message} />
          <span className="min-w-0">
            <Outcome message={message} />
          </span>
        </p>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
          <Fact name="Kind">{sentence(kind)}</Fact>
          <Fact name="Channel">{channel}</Fact>
          {rule && <Fact name="Rule">{rule}</Fact>}
          <Fact name="Tries">{tries}</Fact>
          <Fact name="Made">
            <Time at={at} />
          </Fact>
        </dl>
      </div>
    </Dialog>
  );
}
