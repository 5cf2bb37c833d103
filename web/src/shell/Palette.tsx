import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Search, X } from "lucide-react";
import { Fragment, type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from "react";
import type { Subject } from "@/api/actions";
import {
  actedJobs,
  actedSchedules,
  blackouts,
  breakers,
  calendars,
  deadGroups,
  queues,
  search,
  session,
  templates,
  workers,
} from "@/api/queries";
import type { Acted } from "@/api/types";
import { useReturnFocus } from "@/lib/focus";
import { DoAction } from "@/ui/ActionDialog";
import { IconButton } from "@/ui/Button";
import { Name } from "@/ui/Name";
import { StateBadge } from "@/ui/State";
import {
  commandsFor,
  foundFor,
  type Lists,
  linesFor,
  listedFor,
  type Open,
  placesFor,
} from "./entries";
import { type Act, actsFor, isAct, type Target } from "./paletteActs";

/** Everything that has a name, runs and lines of logs behind one field; arrows choose, Enter opens. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const wanted = useDeferredValue(text.trim());
  const isAsked = wanted.length > 1;
  const found = useQuery({ ...search(wanted), enabled: isAsked });
  const lists = useLists(isAsked);
  const { data: who } = useQuery(session);
  const [act, setAct] = useState<Act | null>(null);
  const targets = useTargets(isAct(wanted), lists);
  useReturnFocus();
  useEffect(() => dialog.current?.showModal(), []);

  const open: Open = (to, params = {}, search = {}) => {
    void navigate({ to, params, search } as never);
    onClose();
  };
  const entries = [
    ...placesFor(wanted, open),
    ...commandsFor(wanted, who?.verbs ?? [], open),
    ...actsFor(wanted, targets, setAct),
    ...(isAsked && found.data ? foundFor(found.data, open) : []),
    ...(isAsked ? listedFor(wanted, lists, open) : []),
    ...(isAsked && found.data ? linesFor(found.data, wanted, open) : []),
  ];
  const current = Math.min(chosen, entries.length - 1);
  // What is listed may still be for fewer letters: then the answer is waited for.
  const isListed = wanted === text.trim() && !found.isPlaceholderData;
  const enter = () => (isListed ? entries[current]?.go() : setEntered(true));
  useEffect(() => {
    if (!isEntered || !isListed) return;
    setEntered(false);
    entries[current]?.go();
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((current + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === "Enter") enter();
    else return;
    event.preventDefault();
  };
  if (act) {
    const { action, target } = act;
    return <DoAction action={action} id={target.id} name={target.name} onClose={onClose} />;
  }
  return (
    <dialog
      ref={dialog}
      aria-label="Search and commands"
      // Told before it closes: Ctrl K right after Esc opens it again.
      onCancel={onClose}
      onClose={onClose}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
      className="mt-[12vh] w-[calc(100vw-2rem)] max-w-xl overflow-hidden rounded-xl border border-line bg-raised p-0 shadow-high"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-4 text-ink-3" />
        <input
          autoFocus
          role="combobox"
          aria-expanded={entries.length > 0}
          aria-controls="palette-list"
          aria-activedescendant={entries[current] ? `palette-${current}` : undefined}
          aria-label="Search pages, jobs, schedules, runs, logs and all that has a name"
          placeholder="Search pages, jobs, runs and logs"
          className="h-12 min-w-0 flex-1 bg-transparent text-sm outline-none max-sm:text-base"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
            setEntered(false);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd className={`${KEY} max-sm:hidden`}>Esc</kbd>
        <IconButton label="Close" className="-mr-2 sm:hidden" onClick={onClose}>
          <X className="size-4" />
        </IconButton>
      </div>
      <div
        id="palette-list"
        role="listbox"
        aria-label="Results"
        hidden={entries.length === 0}
        className="scroll-thin max-h-[min(60vh,32rem)] overflow-y-auto p-1.5"
      >
        {entries.map((entry, index) => (
          <Fragment key={entry.key}>
            {entry.group !== entries[index - 1]?.group && (
              <p aria-hidden className="px-3 pt-2 pb-1 text-2xs font-medium text-ink-3">
                {entry.group}
              </p>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field */}
            <div
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              ref={index === current ? intoView : undefined}
              onClick={entry.go}
              onMouseMove={() => setChosen(index)}
              className={`flex min-h-(--tap) cursor-pointer items-center gap-3 rounded-md px-3 py-1.5 ${index === current ? "bg-accent-soft" : ""}`}
            >
              <entry.icon aria-hidden className="size-4 shrink-0 text-ink-2" />
              <Name text={entry.title} className="flex-1" />
              {entry.state && <StateBadge state={entry.state} small />}
              {entry.more && (
                <span className="num max-w-40 shrink-0 truncate text-xs text-ink-2">
                  {entry.more}
                </span>
              )}
              {entry.keys && <kbd className={`${KEY} max-sm:hidden`}>{entry.keys}</kbd>}
            </div>
          </Fragment>
        ))}
      </div>
      <p role="status" className="px-3 py-6 text-center text-ink-2 empty:hidden">
        {entries.length === 0 && (found.isFetching ? "Searching" : NOTHING)}
      </p>
    </dialog>
  );
}

const NOTHING =
  "Nothing found. Try a part of a name (of a job, schedule, queue or worker), the beginning of a run's id, or words of an error or a log.";
const KEY = "rounded border border-line-strong bg-sunken px-1.5 font-mono text-2xs text-ink-2";

function intoView(entry: HTMLElement | null): void {
  entry?.scrollIntoView({ block: "nearest" });
}

/** Short lists that pages ask for as well: once while somebody types, not with every letter. */
function useLists(enabled: boolean) {
  const once = { enabled, staleTime: 30_000, refetchInterval: false } as const;
  return {
    queues: useQuery({ ...queues(), ...once }).data?.items ?? [],
    workers: useQuery({ ...workers(), ...once }).data?.items ?? [],
    templates: useQuery({ ...templates(), ...once }).data?.items ?? [],
    calendars: useQuery({ ...calendars(), ...once }).data?.items ?? [],
    blackouts: useQuery({ ...blackouts(), ...once }).data?.items ?? [],
    groups: useQuery({ ...deadGroups(), ...once }).data?.items ?? [],
  };
}

/** What something may be done to: asked for when somebody writes a verb. */
function useTargets(enabled: boolean, lists: Pick<Lists, "queues" | "workers">): Target[] {
  const once = { enabled, staleTime: 30_000, refetchInterval: false } as const;
  const jobs = useQuery({ ...actedJobs(), ...once }).data?.items ?? [];
  const schedules = useQuery({ ...actedSchedules(), ...once }).data?.items ?? [];
  const held = useQuery({ ...breakers(), ...once }).data?.items ?? [];
  const of = (subject: Subject, noun: string) => (item: Acted & { id: string; name: string }) => ({
    subject,
    noun,
    id: item.id,
    name: item.name,
    item,
  });
  return [
    ...lists.queues.map((each) => of("queue", "queue")({ ...each, id: each.name })),
    ...jobs.map((each) => of("job", "job")({ ...each, id: each.jobId })),
    ...schedules.map((each) => of("schedule", "schedule")({ ...each, id: each.name })),
    ...lists.workers.map(of("worker", "worker")),
    ...held.map((each) => of("breaker", "breaker")({ ...each, id: each.job, name: each.job })),
  ];
}
