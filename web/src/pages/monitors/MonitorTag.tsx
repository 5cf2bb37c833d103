import type { Monitor } from "@/api/types";
import { Tag } from "@/ui/State";
import { STATES } from "./words";

/** The state of a monitor, as an icon and a word. */
export function MonitorTag({ monitor }: { monitor: Monitor }) {
  const { word, mood } = STATES[monitor.state];
  return <Tag mood={mood}>{word}</Tag>;
}
