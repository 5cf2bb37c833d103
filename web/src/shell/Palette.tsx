import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  Activity,
  FileText,
  Layers,
  type LucideIcon,
  Plus,
  Search,
  SunMoon,
  Wrench,
  X,
} from "lucide-react";
import { Fragment, type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from "react";
import { queues, search, session } from "@/api/queries";
import type { Found, Queue } from "@/api/types";
import { stripAnsi } from "@/lib/ansi";
import { useReturnFocus } from "@/lib/focus";
import { atLeast, shortId } from "@/lib/format";
import { chooseTheme } from "@/lib/theme";
import { IconButton } from "@/ui/Button";
import { Name } from "@/ui/Name";
import { StateBadge } from "@/ui/State";
import { ALL_PLACES } from "./nav";

interface Entry {
  key: string;
  /** Under which it stands, while it is the first of its kind. */
  group: string;
  icon: LucideIcon;
  title: string;
  more?: string;
  keys?: string;
  state?: string;
  go: () => void;
}

/** Pages, actions, jobs, queues, runs and log lines behind one field; arrows choose, Enter opens. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const wanted = useDeferredValue(text.trim());
  const isAsked = wanted.length > 1;
  const found = useQuery({ ...search(wanted), enabled: isAsked });
  const known = useQuery({ ...queues(), enabled: isAsked });
  const { data: who } = useQuery(session);
  useReturnFocus();
  useEffect(() => dialog.current?.showModal(), []);

  const open: Open = (to, params = {}, search = {}) => {
    void navigate({ to, params, search } as never);
    onClose();
  };
  const entries = [
    ...placesFor(wanted, open),
    ...commandsFor(wanted, who?.verbs ?? [], open),
    ...(isAsked && found.data ? jobsAndRuns(found.data, open) : []),
    ...(isAsked && known.data ? queuesFor(wanted, known.data.items, open) : []),
    ...(isAsked && found.data ? lines(found.data, wanted, open) : []),
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
          aria-label="Search pages, jobs, runs and logs"
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
  "Nothing found. Try a part of a job's name, the beginning of a run's id, or words of a log.";
const KEY = "rounded border border-line-strong bg-sunken px-1.5 font-mono text-2xs text-ink-2";

function intoView(entry: HTMLElement | null): void {
  entry?.scrollIntoView({ block: "nearest" });
}

type Words = Record<string, string>;
type Open = (to: string, params?: Words, search?: Words) => void;

const holds = (text: string, wanted: string) => text.toLowerCase().includes(wanted.toLowerCase());

function placesFor(wanted: string, open: Open): Entry[] {
  return ALL_PLACES.filter(({ title, also = "" }) => holds(`${title} ${also}`, wanted)).map(
    (place) => ({
      key: place.to,
      group: "Pages",
      icon: place.icon,
      title: place.title,
      keys: place.keys,
      go: () => open(place.to),
    }),
  );
}

const MAKES = [
  ["create-job", "New job", "/jobs"],
  ["create-schedule", "New schedule", "/schedules"],
  ["create-token", "New token", "/access"],
] as const;

/** Once something is typed: what this session may make, and how the pages look. */
function commandsFor(wanted: string, verbs: string[], open: Open): Entry[] {
  if (!wanted) return [];
  const makes: Entry[] = MAKES.filter(([verb]) => verbs.includes(verb)).map(
    ([verb, title, to]) => ({
      key: verb,
      group: "Actions",
      icon: Plus,
      title,
      go: () => open(to, {}, { new: "1" }),
    }),
  );
  const themes: Entry[] = (["light", "dark", "system"] as const).map((theme) => ({
    key: theme,
    group: "Actions",
    icon: SunMoon,
    title: `Theme: ${theme}`,
    go: () => chooseTheme(theme),
  }));
  return [...makes, ...themes].filter(({ title }) => holds(title, wanted));
}

function queuesFor(wanted: string, all: Queue[], open: Open): Entry[] {
  return all
    .filter(({ name }) => holds(name, wanted))
    .slice(0, 6)
    .map((queue) => ({
      key: `queue-${queue.name}`,
      group: "Queues",
      icon: Layers,
      title: queue.name,
      more: queue.paused ? "Paused" : `${atLeast(queue.queued, queue.isCut)} waiting`,
      go: () => open("/queues/$name", { name: queue.name }),
    }));
}

function jobsAndRuns(found: Found, open: Open): Entry[] {
  return [
    ...found.jobs.slice(0, 6).map((job) => ({
      key: `job-${job.jobId}`,
      group: "Jobs",
      icon: Wrench,
      title: job.jobId,
      go: () => open("/jobs/$id", { id: job.jobId }),
    })),
    ...found.runs.slice(0, 8).map((run) => ({
      key: `run-${run.executionId}`,
      group: "Runs",
      icon: Activity,
      title: run.jobId,
      state: run.status,
      more: shortId(run.executionId),
      go: () => open("/runs/$id", { id: run.executionId }),
    })),
  ];
}

function lines(found: Found, wanted: string, open: Open): Entry[] {
  return found.logs.slice(0, 8).map((line, index) => ({
    key: `log-${line.executionId}-${index}`,
    group: "Lines of logs",
    icon: FileText,
    title: stripAnsi(line.text),
    more: line.jobId,
    go: () => open("/runs/$id", { id: line.executionId }, { tab: "log", find: wanted }),
  }));
}
