/** A text that may be very long: its beginning, and all of it when asked, so that what follows stays in sight. */
import { useState } from "react";
import { count } from "@/lib/format";

const LINES = 8;
const LETTERS = 900;

export function LongText({ text, className = "" }: { text: string; className?: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = isLongText(text);
  return (
    <>
      <p
        className={`whitespace-pre-wrap break-words ${isLong && !isOpen ? "line-clamp-6" : ""} ${className}`}
      >
        {text.trimEnd()}
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="link mt-1 text-xs"
        >
          {isOpen ? "Show less" : `Show all of it: ${count(text.length)} characters`}
        </button>
      )}
    </>
  );
}

/** Known from the text itself: to measure it would make the page jump. */
export function isLongText(text: string): boolean {
  return text.length > LETTERS || text.trimEnd().split("\n").length > LINES;
}
