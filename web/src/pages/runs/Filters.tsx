import { useQuery } from "@tanstack/react-query";
import { SlidersHorizontal, X } from "lucide-react";
import { useState } from "react";
import { jobs, queues } from "@/api/queries";
import type { Job, State } from "@/api/types";
import type { Search } from "@/lib/search";
import { useList } from "@/lib/useList";
import { Button } from "@/ui/Button";
import { SearchField } from "@/ui/SearchField";
import { lookOf, STATES } from "@/ui/State";
import { LabelField } from "./LabelField";
import { linesOf, withLabel, withoutLabel } from "./labels";
import { Period } from "./Period";
import { mayHideSteps } from "./steps";
import { Views } from "./Views";

const WORDS = {
  schedule: "schedule",
  parentId: "part of",
  arg: "argument",
  scheduledSince: "for times from",
  scheduledUntil: "for times before",
};
const OTHERS = Object.keys(WORDS) as (keyof typeof WORDS)[];
/** What people look for comes first: a phone shows four of them. */
const FIRST: State[] = ["failed", "running", "queued", "scheduled"];
const CHIPS = [...FIRST, ...STATES.filter((state) => !FIRST.includes(state))];
/** Running finds graphs too, if nobody has paused them; this chip finds all of them and nothing else. */
const CHIP_WORDS: Partial<Record<State, string>> = { suspended: "Graphs under way" };
const NARROWED = ["jobId", "queue", "text", "error", "label", "since", "until"] as const;

interface FilterProps {
  search: Search;
  setSearch: (patch: Search) => void;
}

export function Filters({ search, setSearch }: FilterProps) {
  const known = useList<Job>(jobs());
  const queueNames = useQuery(queues()).data?.items.map((each) => each.name) ?? [];
  const extra = OTHERS.filter((name) => search[name]);
  const narrowed = NARROWED.filter((name) => search[name]).length;
  const [isOpen, setOpen] = useState(narrowed > 0);
  return (
    <div className="mb-3 space-y-2">
      <Button
        className="sm:hidden"
        icon={<SlidersHorizontal className="size-3.5" />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {narrowed ? `Filters: ${narrowed}` : "Filters"}
      </Button>
      <div className={`flex flex-wrap gap-2 ${isOpen ? "" : "max-sm:hidden"}`}>
        <SearchField
          label="Job"
          className="min-w-48 flex-1"
          value={search.jobId}
          onChange={(jobId) => setSearch({ jobId })}
          known={known.rows.map((job) => job.jobId)}
        />
        <SearchField
          label="Queue"
          className="min-w-32 flex-1"
          value={search.queue}
          onChange={(queue) => setSearch({ queue })}
          known={queueNames}
        />
        <SearchField
          label="Text in arguments or key"
          className="min-w-48 flex-1"
          value={search.text}
          onChange={(text) => setSearch({ text })}
        />
        <SearchField
          label="Text in the error"
          className="min-w-40 flex-1"
          value={search.error}
          onChange={(error) => setSearch({ error })}
        />
        <LabelField
          className="min-w-40 flex-1"
          onAdd={(label) => setSearch({ label: withLabel(search.label, label) })}
        />
        <Period search={search} setSearch={setSearch} />
        <Views search={search} setSearch={setSearch} />
      </div>
      <div className="scroll-thin flex flex-wrap items-center gap-1.5 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:pb-1">
        {CHIPS.map((state) => (
          <button
            key={state}
            type="button"
            aria-pressed={search.status === state}
            onClick={() => setSearch({ status: search.status === state ? undefined : state })}
            className={chipClass(search.status === state)}
          >
            {CHIP_WORDS[state] ?? lookOf(state).word}
          </button>
        ))}
        {mayHideSteps(search) && (
          <button
            type="button"
            aria-pressed={Boolean(search.steps)}
            onClick={() => setSearch({ steps: search.steps ? undefined : "yes" })}
            title="The runs of the nodes of graphs too"
            className={chipClass(Boolean(search.steps), "sm:ml-auto")}
          >
            Steps of graphs
          </button>
        )}
        {extra.map((name) => (
          <Chosen
            key={name}
            text={`${WORDS[name]}: ${search[name]}`}
            title={`Remove the filter ${WORDS[name]}`}
            onRemove={() => setSearch({ [name]: undefined })}
          />
        ))}
        {linesOf(search.label).map((label) => (
          <Chosen
            key={label}
            text={label}
            title={`Remove the label ${label}`}
            onRemove={() => setSearch({ label: withoutLabel(search.label, label) })}
          />
        ))}
      </div>
    </div>
  );
}

interface ChosenProps {
  text: string;
  title: string;
  onRemove: () => void;
}

function Chosen({ text, title, onRemove }: ChosenProps) {
  return (
    <button
      type="button"
      onClick={onRemove}
      className="flex h-7 max-w-64 shrink-0 items-center gap-1 rounded-full bg-accent-soft px-2.5 text-xs text-accent max-sm:h-9 max-sm:px-3.5"
      title={title}
    >
      <span className="truncate">{text}</span>
      <X aria-hidden className="size-3 shrink-0" />
    </button>
  );
}

function chipClass(isOn: boolean, more = ""): string {
  const look = isOn
    ? "border-accent bg-accent-soft text-accent"
    : "border-line bg-surface text-ink-2 hover:border-line-strong";
  return `h-7 shrink-0 rounded-full border px-2.5 text-xs font-medium whitespace-nowrap max-sm:h-9 max-sm:px-3.5 ${look} ${more}`;
}
