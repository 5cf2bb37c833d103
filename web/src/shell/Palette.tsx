import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Activity, FileText, type LucideIcon, Search, SunMoon, Wrench } from "lucide-react";
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from "react";
import { search } from "@/api/queries";
import type { Found } from "@/api/types";
import { stripAnsi } from "@/lib/ansi";
import { useReturnFocus } from "@/lib/focus";
import { shortId } from "@/lib/format";
import { chooseTheme } from "@/lib/theme";
import { Name } from "@/ui/Name";
import { StateBadge } from "@/ui/State";
import { ALL_PLACES } from "./nav";

interface Entry {
  key: string;
  icon: LucideIcon;
  title: string;
  more?: string;
  state?: string;
  go: () => void;
}

/** Pages, jobs, runs and log lines behind one field; arrows choose, Enter opens. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const wanted = useDeferredValue(text.trim());
  const found = useQuery({ ...search(wanted), enabled: wanted.length > 1 });
  useReturnFocus(true);
  useEffect(() => dialog.current?.showModal(), []);

  const open: Open = (to, params = {}, search = {}) => {
    void navigate({ to, params, search } as never);
    onClose();
  };
  const entries = [
    ...placesFor(wanted, open),
    ...(wanted.length > 1 && found.data ? foundEntries(found.data, wanted, open) : []),
  ];
  const current = Math.min(chosen, entries.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((current + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === "Enter") entries[current]?.go();
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Search and commands"
      onClose={onClose}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
      className="mt-[12vh] w-[calc(100vw-2rem)] max-w-xl overflow-hidden rounded-xl border border-line bg-raised p-0 shadow-high"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-4 text-ink-3" />
        <input
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls="palette-list"
          aria-activedescendant={entries[current] ? `palette-${current}` : undefined}
          aria-label="Search pages, jobs, runs and logs"
          placeholder="Search pages, jobs, runs and logs"
          className="h-12 flex-1 bg-transparent text-sm outline-none"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd className="text-2xs text-ink-3">Esc</kbd>
      </div>
      <div
        id="palette-list"
        role="listbox"
        aria-label="Results"
        className="scroll-thin max-h-[50vh] overflow-y-auto p-1.5"
      >
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
          <div
            key={entry.key}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            ref={
              index === current
                ? (element) => element?.scrollIntoView({ block: "nearest" })
                : undefined
            }
            onClick={entry.go}
            onMouseMove={() => setChosen(index)}
            className={`flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 ${index === current ? "bg-accent-soft" : ""}`}
          >
            <entry.icon aria-hidden className="size-4 shrink-0 text-ink-2" />
            <Name text={entry.title} className="flex-1" />
            {entry.state && <StateBadge state={entry.state} small />}
            {entry.more && <span className="num shrink-0 text-xs text-ink-2">{entry.more}</span>}
          </div>
        ))}
        {entries.length === 0 && (
          <p className="px-3 py-6 text-center text-ink-2">
            {found.isFetching ? "Searching" : "Nothing found"}
          </p>
        )}
      </div>
    </dialog>
  );
}

type Words = Record<string, string>;
type Open = (to: string, params?: Words, search?: Words) => void;

function placesFor(wanted: string, open: Open): Entry[] {
  const low = wanted.toLowerCase();
  const places: Entry[] = ALL_PLACES.map((place) => ({
    key: place.to,
    icon: place.icon,
    title: place.title,
    more: place.keys,
    go: () => open(place.to),
  }));
  const themes: Entry[] = (["light", "dark", "system"] as const).map((theme) => ({
    key: theme,
    icon: SunMoon,
    title: `Theme: ${theme}`,
    go: () => chooseTheme(theme),
  }));
  const all = wanted ? [...places, ...themes] : places;
  return all.filter((entry) => entry.title.toLowerCase().includes(low));
}

function foundEntries(found: Found, wanted: string, open: Open): Entry[] {
  return [
    ...found.jobs.slice(0, 6).map((job) => ({
      key: `job-${job.jobId}`,
      icon: Wrench,
      title: job.jobId,
      more: "Job",
      go: () => open("/jobs/$id", { id: job.jobId }),
    })),
    ...found.runs.slice(0, 8).map((run) => ({
      key: `run-${run.executionId}`,
      icon: Activity,
      title: run.jobId,
      state: run.status,
      more: shortId(run.executionId),
      go: () => open("/runs/$id", { id: run.executionId }),
    })),
    ...found.logs.slice(0, 8).map((line, index) => ({
      key: `log-${line.executionId}-${index}`,
      icon: FileText,
      title: stripAnsi(line.text),
      more: "Log",
      go: () => open("/runs/$id", { id: line.executionId }, { tab: "log", find: wanted }),
    })),
  ];
}
