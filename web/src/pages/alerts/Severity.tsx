import { CircleX, Info, type LucideIcon, OctagonAlert, TriangleAlert } from "lucide-react";
import type { Severity as Level } from "@/api/types";
import { SEVERITIES } from "./words";

const LOOKS: Record<Level, [LucideIcon, string]> = {
  info: [Info, "bg-run-soft text-run"],
  warning: [TriangleAlert, "bg-warn-soft text-warn"],
  error: [CircleX, "bg-bad-soft text-bad"],
  critical: [OctagonAlert, "bg-bad text-surface"],
};

export function Severity({ level }: { level: Level }) {
  const [Icon, colours] = LOOKS[level];
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${colours}`}
    >
      <Icon aria-hidden className="size-3.5" />
      {SEVERITIES.find(([key]) => key === level)?.[1]}
    </span>
  );
}
