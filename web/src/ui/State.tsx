/** States in icon, word and colour: colour alone is not enough for everybody. */
import {
  Ban,
  CalendarClock,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CirclePause,
  CircleX,
  Hourglass,
  Link2,
  LoaderCircle,
  type LucideIcon,
  SkipForward,
} from "lucide-react";
import type { Run, State } from "@/api/types";

interface Look {
  icon: LucideIcon;
  word: string;
  badge: string;
  /** For bars, cells and edges, where there is no room for a word. */
  fill: string;
  spins?: boolean;
}

const RUNNING: Look = {
  icon: LoaderCircle,
  word: "Running",
  badge: "bg-run-soft text-run",
  fill: "bg-run-fill",
  spins: true,
};

const PAUSED: Look = {
  icon: CirclePause,
  word: "Paused",
  badge: "bg-wait-soft text-wait",
  fill: "bg-wait-fill",
};

const LOOKS: Record<State, Look> = {
  pending: {
    icon: Link2,
    word: "Pending",
    badge: "bg-idle-soft text-idle",
    fill: "bg-sunken ring-1 ring-line-strong ring-inset",
  },
  scheduled: {
    icon: CalendarClock,
    word: "Scheduled",
    badge: "bg-wait-soft text-wait",
    fill: "bg-wait-fill",
  },
  queued: {
    icon: Hourglass,
    word: "Queued",
    badge: "bg-warn-soft text-warn",
    fill: "bg-warn-fill",
  },
  running: RUNNING,
  // Only runs of graphs are: they hold no slot while their nodes run.
  suspended: RUNNING,
  success: { icon: CircleCheck, word: "Success", badge: "bg-ok-soft text-ok", fill: "bg-ok-fill" },
  failed: { icon: CircleX, word: "Failed", badge: "bg-bad-soft text-bad", fill: "bg-bad-fill" },
  cancelled: {
    icon: Ban,
    word: "Cancelled",
    badge: "bg-idle-soft text-idle",
    fill: "bg-idle-fill",
  },
  skipped: {
    icon: SkipForward,
    word: "Skipped",
    badge: "bg-idle-soft text-idle",
    fill: "bg-idle-fill/60",
  },
};

/** Nodes of graphs have three more, where there is no run. */
const NODE_LOOKS: Record<string, Look> = {
  held: { ...PAUSED, word: "Held" },
  ready: { ...LOOKS.queued, word: "Ready" },
  upstream_failed: { ...LOOKS.skipped, word: "Upstream failed", fill: "bg-bad-fill/35" },
};

const UNKNOWN: Look = {
  icon: CircleHelp,
  word: "",
  badge: "bg-idle-soft text-idle",
  fill: "bg-idle-fill",
};

export const STATES = Object.keys(LOOKS) as State[];
export const NODE_STATES = Object.keys(NODE_LOOKS);

/** What people call the state of a run: a graph that somebody paused is paused, whatever its nodes do. */
export function stateOf(run: Pick<Run, "state" | "paused">): string {
  return run.state === "suspended" && run.paused ? "paused" : run.state;
}

export function lookOf(state: string | null | undefined): Look {
  if (state === "paused") return PAUSED;
  return (
    LOOKS[state as State] ?? NODE_LOOKS[state ?? ""] ?? { ...UNKNOWN, word: state ?? "Not started" }
  );
}

export function StateBadge({
  state,
  small,
}: {
  state: string | null | undefined;
  small?: boolean;
}) {
  const look = lookOf(state);
  const Icon = look.icon;
  return (
    <span
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded-full font-medium ${look.badge} ${small ? "px-1.5 text-2xs" : "px-2 py-0.5 text-xs"}`}
    >
      <Icon
        aria-hidden
        className={`${small ? "size-3" : "size-3.5"} ${look.spins ? "spin" : ""}`}
      />
      {look.word}
    </span>
  );
}

export type Mood = "ok" | "warn" | "bad" | "idle" | "run" | "wait";

const MOODS: Record<Mood, string> = {
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  idle: "bg-idle-soft text-idle",
  run: "bg-run-soft text-run",
  wait: "bg-wait-soft text-wait",
};

const MOOD_ICONS: Record<Mood, LucideIcon> = {
  ok: CircleCheck,
  warn: CircleAlert,
  bad: CircleX,
  idle: CirclePause,
  run: LoaderCircle,
  wait: CalendarClock,
};

/** For what has no state of a run: paused, draining, open, silent. */
export function Tag({ mood = "idle", children }: { mood?: Mood; children: string }) {
  const Icon = MOOD_ICONS[mood];
  return (
    <span
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded-full px-2 py-0.5 text-xs font-medium ${MOODS[mood]}`}
    >
      <Icon aria-hidden className="size-3.5" />
      {children}
    </span>
  );
}
