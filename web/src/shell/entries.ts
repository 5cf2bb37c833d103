/** What the palette lists for a text: each entry says what it is and where it leads. */
import {
  Activity,
  CalendarDays,
  CalendarOff,
  Cpu,
  FileText,
  Layers,
  LayoutTemplate,
  type LucideIcon,
  Plus,
  Skull,
  SunMoon,
  Workflow,
  Wrench,
} from "lucide-react";
import type { Blackout, Calendar, DeadGroup, Found, Queue, Template, Worker } from "@/api/types";
import { stripAnsi } from "@/lib/ansi";
import { atLeast, count, errorText, sentence, shortId } from "@/lib/format";
import { chooseTheme } from "@/lib/theme";
import { ALL_PLACES } from "./nav";

export interface Entry {
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

type Words = Record<string, string>;
export type Open = (to: string, params?: Words, search?: Words) => void;

const MOST = 6;
const MOST_RUNS = 8;

const holds = (text: string, wanted: string) => text.toLowerCase().includes(wanted.toLowerCase());

export function placesFor(wanted: string, open: Open): Entry[] {
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
  ["create-monitor", "New monitor", "/monitors"],
  ["create-token", "New token", "/access"],
] as const;

/** Once something is typed: what this session may make, and how the pages look. */
export function commandsFor(wanted: string, verbs: string[], open: Open): Entry[] {
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

/** What the server looked for: jobs, graphs, schedules and runs. */
export function foundFor(found: Found, open: Open): Entry[] {
  const isGraph = ({ kind }: Found["jobs"][number]) => kind === "graph";
  return [
    ...found.jobs
      .filter((job) => !isGraph(job))
      .slice(0, MOST)
      .map(({ jobId: id }) => ({
        key: `job-${id}`,
        group: "Jobs",
        icon: Wrench,
        title: id,
        go: () => open("/jobs/$id", { id }),
      })),
    ...found.jobs
      .filter(isGraph)
      .slice(0, MOST)
      .map(({ jobId: name }) => ({
        key: `graph-${name}`,
        group: "Graphs",
        icon: Workflow,
        title: name,
        go: () => open("/graphs/$name", { name }),
      })),
    ...found.schedules.slice(0, MOST).map(({ name, job, state }) => ({
      key: `schedule-${name}`,
      group: "Schedules",
      icon: CalendarDays,
      title: name,
      more: [job !== name && job, state !== "active" && sentence(state)]
        .filter(Boolean)
        .join(" · "),
      go: () => open("/schedules", {}, { edit: name }),
    })),
    ...found.runs.slice(0, MOST_RUNS).map((run) => ({
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

export function linesFor(found: Found, wanted: string, open: Open): Entry[] {
  return found.logs.slice(0, MOST_RUNS).map((line, index) => ({
    key: `log-${line.executionId}-${index}`,
    group: "Lines of logs",
    icon: FileText,
    title: stripAnsi(line.text),
    more: line.jobId,
    go: () => open("/runs/$id", { id: line.executionId }, { tab: "log", find: wanted }),
  }));
}

export interface Lists {
  queues: Queue[];
  workers: Worker[];
  templates: Template[];
  calendars: Calendar[];
  blackouts: Blackout[];
  groups: DeadGroup[];
}

/** What has a name in a list of its own. */
export function listedFor(wanted: string, lists: Lists, open: Open): Entry[] {
  const some = <Item>(items: Item[], textOf: (item: Item) => string) =>
    items.filter((item) => holds(textOf(item), wanted)).slice(0, MOST);
  return [
    ...some(lists.queues, ({ name }) => name).map((queue) => ({
      key: `queue-${queue.name}`,
      group: "Queues",
      icon: Layers,
      title: queue.name,
      more: queue.paused ? "Paused" : `${atLeast(queue.queued, queue.isCut)} waiting`,
      go: () => open("/queues/$name", { name: queue.name }),
    })),
    ...some(lists.workers, ({ id, name, host }) => `${name} ${host} ${id}`).map((worker) => ({
      key: `worker-${worker.id}`,
      group: "Workers",
      icon: Cpu,
      title: worker.name,
      more: worker.alive ? worker.host : "Silent",
      go: () => open("/workers", {}, { id: worker.id }),
    })),
    ...some(
      lists.groups,
      (group) => `${group.job} ${errorText(group.errorType, group.message)}`,
    ).map((group) => ({
      key: `group-${group.group}-${group.job}`,
      group: "Dead letters",
      icon: Skull,
      title: `${group.job}: ${stripAnsi(errorText(group.errorType, group.message))}`,
      more: `${count(group.open)} open`,
      go: () => open("/dead-letters", {}, { group: group.group }),
    })),
    ...some(lists.templates, ({ name }) => name).map(({ name }) => ({
      key: `template-${name}`,
      group: "Templates",
      icon: LayoutTemplate,
      title: name,
      go: () => open("/jobs", {}, { tab: "templates" }),
    })),
    ...some(lists.calendars, ({ name }) => name).map(({ name }) => ({
      key: `calendar-${name}`,
      group: "Calendars",
      icon: CalendarDays,
      title: name,
      go: () => open("/schedules", {}, { tab: "calendars" }),
    })),
    ...some(lists.blackouts, ({ name }) => name).map(({ name }) => ({
      key: `blackout-${name}`,
      group: "Maintenance windows",
      icon: CalendarOff,
      title: name,
      go: () => open("/schedules", {}, { tab: "windows" }),
    })),
  ];
}
