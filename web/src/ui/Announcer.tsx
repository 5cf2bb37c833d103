import { useEffect, useRef, useSyncExternalStore } from "react";
import { announce, announced, onAnnounced } from "@/lib/announce";

/** A place that is there before anything is said in it: readers miss one that comes with its text. */
export function Announcer() {
  const text = useSyncExternalStore(onAnnounced, announced);
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  );
}

/** Says the name of a page that came without a load, and its new name when that changes. */
export function useAnnouncedTitle(title: string | null): void {
  const isFirst = useRef(isFirstPage);
  useEffect(() => {
    if (!title) return;
    // Of the first page the reader itself tells the title.
    if (!isFirst.current) announce(title);
    isFirst.current = false;
    isFirstPage = false;
  }, [title]);
}

let isFirstPage = true;
