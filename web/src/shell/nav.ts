import {
  Activity,
  BellRing,
  CalendarDays,
  Cpu,
  Gauge,
  HeartPulse,
  KeyRound,
  Layers,
  type LucideIcon,
  ScrollText,
  Settings,
  Skull,
  Workflow,
  Wrench,
} from "lucide-react";

export interface Place {
  to: string;
  title: string;
  icon: LucideIcon;
  keys: string;
  /** Other words by which it is looked for. */
  also?: string;
}

export const PLACES: { title: string; places: Place[] }[] = [
  {
    title: "Work",
    places: [
      { to: "/", title: "Overview", icon: Gauge, keys: "g o" },
      { to: "/jobs", title: "Jobs", icon: Wrench, keys: "g j" },
      { to: "/runs", title: "Runs", icon: Activity, keys: "g r" },
      { to: "/graphs", title: "Graphs", icon: Workflow, keys: "g g" },
      { to: "/schedules", title: "Schedules", icon: CalendarDays, keys: "g s" },
      {
        to: "/monitors",
        title: "Monitors",
        icon: HeartPulse,
        keys: "g m",
        also: "pings healthchecks cron",
      },
    ],
  },
  {
    title: "Operate",
    places: [
      {
        to: "/alerts",
        title: "Alerts",
        icon: BellRing,
        keys: "g i",
        also: "incidents rules channels messages notifications",
      },
      { to: "/queues", title: "Queues", icon: Layers, keys: "g q" },
      { to: "/workers", title: "Workers", icon: Cpu, keys: "g w" },
      { to: "/dead-letters", title: "Dead letters", icon: Skull, keys: "g d" },
    ],
  },
  {
    title: "Administer",
    places: [
      { to: "/audit", title: "Audit", icon: ScrollText, keys: "g a" },
      { to: "/access", title: "Access", icon: KeyRound, keys: "g t", also: "tokens namespaces" },
      { to: "/settings", title: "Settings", icon: Settings, keys: "g ," },
    ],
  },
];

export const ALL_PLACES = PLACES.flatMap((group) => group.places);
