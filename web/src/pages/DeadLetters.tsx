import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask, type Body } from "@/api/client";
import { deadGroups, deadLetter, deadLetters, run } from "@/api/queries";
import type { DeadGroup, DeadLetter } from "@/api/types";
import { count, errorText, plural, pretty, readJson, sentence, shortId } from "@/lib/format";
import { useFilters } from "@/lib/useFilters";
import { useList } from "@/lib/useList";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Dialog, Field, FormDialog } from "@/ui/Dialog";
import { JsonEditor, JsonView } from "@/ui/Json";
import { Card, Empty, Load, PageHead } from "@/ui/Panels";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";

export function DeadLetters() {
  const [search, setSearch] = useFilters();
  const query = useQuery(deadGroups());
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
                A run comes here when it has used up its retries.
              </Empty>
            </Card>
          ) : (
            <div className="grid items-start gap-4 xl:grid-cols-[26rem_minmax(0,1fr)]">
              <Groups
                items={items}
                chosen={search.group}
                choose={(group) => setSearch({ group })}
              />
              {search.group ? (
                <Letters
                  group={items.find((each) => each.group === search.group)}
                  id={search.group}
                  open={(id) => setSearch({ id })}
                />
              ) : (
                <Card className="max-xl:hidden">
                  <Empty title="Choose a cause">Its runs appear here.</Empty>
                </Card>
              )}
            </div>
          )
        }
      </Load>
      {search.id && <One id={search.id} onClose={() => setSearch({ id: undefined })} />}
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
          <li key={each.group}>
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
                  {errorText(each)}
                </span>
                <span className="mt-0.5 block truncate text-xs text-ink-2">
                  {each.job} · last <Time at={each.lastAt} ago />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const COLUMNS: Column<DeadLetter>[] = [
  {
    key: "id",
    title: "Run",
    width: "6rem",
    cell: (each) => <span className="font-mono text-xs">{shortId(each.executionId)}</span>,
  },
  {
    key: "job",
    title: "Job",
    width: "minmax(0,1fr)",
    cell: (each) => <span className="font-medium">{each.job}</span>,
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(0,1.6fr)",
    from: "md",
    cell: (each) => <span className="font-mono text-xs text-ink-2">{each.message}</span>,
  },
  {
    key: "state",
    title: "State",
    width: "6rem",
    from: "lg",
    cell: (each) => sentence(each.state),
  },
  {
    key: "at",
    title: "Died",
    width: "8.5rem",
    right: true,
    cell: (each) => <Time at={each.diedAt} />,
  },
];

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
  return (
    <div className="min-w-0">
      {group && (
        <div className="mb-3 flex flex-wrap gap-2">
          <Many group={group} verb="redrive" />
          <Many group={group} verb="discard" />
        </div>
      )}
      <Table
        label="Dead letters of this cause"
        rows={list.rows}
        columns={COLUMNS}
        idOf={(each) => each.executionId}
        onOpen={(each) => open(each.executionId)}
        onEnd={list.onEnd}
        loading={list.loading}
        empty={<Empty title="None left of this cause" />}
      />
    </div>
  );
}

/** The server takes 500 at once and says how many are left. */
async function sendAll(name: "redriveMany" | "discardMany", body: Body<typeof name>) {
  let left = Number.POSITIVE_INFINITY;
  for (;;) {
    const answer = await ask(name, { body });
    if (!answer.left || answer.left >= left) return;
    left = answer.left;
  }
}

function Many({ group, verb }: { group: DeadGroup; verb: "redrive" | "discard" }) {
  const cache = useQueryClient();
  const [open, setOpen] = useState(false);
  if (!may(group, verb)) return null;
  const isRedrive = verb === "redrive";
  const word = isRedrive ? "Redrive" : "Discard";
  const send = async (fields: FormData) => {
    const rate = Number(fields.get("rate"));
    await sendAll(`${verb}Many`, {
      group: group.group,
      ...(isRedrive && rate > 0 && { rate: `${rate}/m` }),
    });
    toast.done(`${plural(group.open, "dead letter")}: ${isRedrive ? "runs again" : "given up"}.`);
    await cache.invalidateQueries();
  };
  return (
    <>
      <Button
        icon={isRedrive ? <RotateCcw className="size-3.5" /> : <Trash2 className="size-3.5" />}
        onClick={() => setOpen(true)}
      >
        {`${word} all ${count(group.open)}`}
      </Button>
      <FormDialog
        open={open}
        danger={!isRedrive}
        title={`${word} ${plural(group.open, "dead letter")}?`}
        submit={`${word} ${count(group.open)}`}
        onClose={() => setOpen(false)}
        onSubmit={send}
      >
        <p>
          {isRedrive
            ? "Each becomes a run again, with its own arguments."
            : "They are given up for good. The runs stay in the history."}
        </p>
        {isRedrive && (
          <Field label="At most so many a minute" hint="Empty: all at once.">
            {(id) => <input id={id} name="rate" type="number" min={1} className="field w-full" />}
          </Field>
        )}
      </FormDialog>
    </>
  );
}

function One({ id, onClose }: { id: string; onClose: () => void }) {
  const letter = useQuery(deadLetter(id));
  const dead = useQuery(run(id));
  return (
    <Dialog open wide title="Dead letter" onClose={onClose}>
      <Load query={letter}>
        {(each) => (
          <Load query={dead}>
            {({ args }) => <Letter letter={each} args={args ?? {}} onClose={onClose} />}
          </Load>
        )}
      </Load>
    </Dialog>
  );
}

interface LetterProps {
  letter: DeadLetter;
  args: unknown;
  onClose: () => void;
}

function Letter({ letter, args, onClose }: LetterProps) {
  const cache = useQueryClient();
  const [text, setText] = useState(() => pretty(args));
  const [isOpen, setOpen] = useState(false);
  const redrive = async () => {
    const isChanged = text !== pretty(args);
    const args_ = isChanged ? { args: readJson(text).value as Record<string, unknown> } : {};
    await ask("redriveOne", { path: [letter.executionId], body: args_ });
    toast.done("It runs again.");
    await cache.invalidateQueries();
    onClose();
  };
  return (
    <div className="space-y-4">
      <p>
        <b>{letter.job}</b>, run{" "}
        <Link to="/runs/$id" params={{ id: letter.executionId }} className="link">
          {shortId(letter.executionId)}
        </Link>
        , died <Time at={letter.diedAt} />
      </p>
      <p className="rounded-md bg-bad-soft p-3 font-mono text-xs break-words">
        {errorText(letter)}
      </p>
      {may(letter, "redrive") ? (
        <Field label="Arguments" hint="Change them if they were the cause.">
          {(field) => <JsonEditor id={field} name="args" text={text} onText={setText} />}
        </Field>
      ) : (
        <JsonView value={args} label="Arguments" />
      )}
      <div className="flex justify-end gap-2">
        <Actions
          subject="dead"
          item={letter}
          id={letter.executionId}
          name={`${letter.job} ${shortId(letter.executionId)}`}
        />
        {may(letter, "redrive") && (
          <Button
            tone="primary"
            disabled={readJson(text).error !== null}
            onClick={() => setOpen(true)}
          >
            Redrive
          </Button>
        )}
      </div>
      <FormDialog
        open={isOpen}
        title="Redrive this one?"
        submit="Redrive"
        onClose={() => setOpen(false)}
        onSubmit={redrive}
      >
        <p>It runs again with the arguments above and a clean count of attempts.</p>
      </FormDialog>
    </div>
  );
}
