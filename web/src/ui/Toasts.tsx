import { CircleCheck, CircleX, X } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { isUnanswered } from "@/api/advice";
import { ApiError } from "@/api/client";
import { Button, IconButton } from "./Button";

interface Toast {
  id: number;
  kind: "done" | "failed";
  text: string;
  more?: string | undefined;
  retry?: (() => void) | undefined;
}

let toasts: Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function change(next: Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function show(kind: Toast["kind"], text: string, more: Pick<Toast, "more" | "retry"> = {}): void {
  last += 1;
  const id = last;
  change([...toasts.slice(-3), { id, kind, text, ...more }]);
  // Failures stay until they are read.
  if (kind === "done") setTimeout(() => dismiss(id), 5000);
}

function dismiss(id: number): void {
  change(toasts.filter((each) => each.id !== id));
}

export const toast = {
  done: (text: string) => show("done", text),
  /** Of what got no answer, `again` does the same once more. */
  failed: (error: unknown, again?: () => void) => {
    if (!(error instanceof ApiError))
      return show("failed", error instanceof Error ? error.message : "That did not work.");
    const { problem } = error;
    const retry = isUnanswered(problem) ? again : undefined;
    show("failed", problem.detail, { more: problem.remedy, retry });
  },
};

/** Places for them, the topmost last: what lies under a dialog can be neither read nor dismissed. */
const places: object[] = [];
const NONE: Toast[] = [];

function usePlace(place: object): void {
  useEffect(() => {
    places.push(place);
    change(toasts);
    return () => {
      places.splice(places.indexOf(place), 1);
      change(toasts);
    };
  }, [place]);
}

export function Toasts() {
  const [place] = useState({});
  usePlace(place);
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (places.at(-1) === place ? toasts : NONE),
  );
  return (
    <div
      aria-live="polite"
      className="fixed right-4 bottom-4 z-50 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2"
    >
      {shown.map((each) => (
        <div
          key={each.id}
          className="flex items-start gap-2.5 rounded-lg border border-line bg-raised p-3 shadow-high"
        >
          {each.kind === "done" ? (
            <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
          ) : (
            <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
          )}
          <div className="min-w-0 flex-1 break-words">
            {each.text}
            {each.more && <p className="mt-0.5 text-xs text-ink-2">{each.more}</p>}
            {each.retry && (
              <Button
                className="mt-2"
                onClick={() => {
                  dismiss(each.id);
                  each.retry?.();
                }}
              >
                Try again
              </Button>
            )}
          </div>
          <IconButton label="Dismiss" className="-m-1.5" onClick={() => dismiss(each.id)}>
            <X className="size-3.5" />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
