import { useStreamState } from "./live";

const WORDS = {
  live: ["bg-ok-fill", "Live"],
  connecting: ["bg-warn-fill", "Connecting"],
  waiting: ["bg-bad-fill", "Reconnecting"],
  away: ["bg-bad-fill", "No database"],
  stopped: ["bg-idle-fill", "Paused"],
} as const;

export function LiveDot() {
  const state = useStreamState();
  const [colour, word] = WORDS[state];
  return (
    <span
      role="status"
      className="flex items-center gap-1.5 text-xs text-ink-2"
      title={`Live changes: ${word.toLowerCase()}`}
    >
      <span className={`size-2 rounded-full ${colour}`} />
      {word}
    </span>
  );
}
