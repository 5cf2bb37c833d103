import { X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { useReturnFocus } from "@/lib/focus";
import { isTyping } from "@/lib/keys";
import { IconButton } from "@/ui/Button";

interface Props {
  name: string;
  /** Beside the name: how it stands, what can be done. */
  head?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** What opens below the picture when a node is chosen. */
export function NodeFrame({ name, head, onClose, children }: Props) {
  const panel = useRef<HTMLElement>(null);
  useReturnFocus();
  useEffect(() => {
    panel.current?.scrollIntoView({ block: "nearest" });
    // Whoever opened it goes on in it; an address that names it leaves the focus alone.
    if (document.activeElement !== document.body) panel.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section
      ref={panel}
      aria-label={`Node ${name}`}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (!isForPanel(event)) return;
        event.preventDefault();
        onClose();
      }}
      className="border-t border-line -outline-offset-2"
    >
      <div className="flex flex-wrap items-center gap-2.5 px-4 pt-3">
        <h2 className="min-w-0 text-base font-semibold break-words">{name}</h2>
        {head}
        <IconButton label="Close" className="ml-auto" onClick={onClose}>
          <X className="size-4" />
        </IconButton>
      </div>
      {children}
    </section>
  );
}

/** Escape in a dialog or in a field is theirs. */
function isForPanel({ key, target, defaultPrevented }: KeyboardEvent): boolean {
  if (key !== "Escape" || defaultPrevented || isTyping(target)) return false;
  return (target as Element).closest("dialog") === null;
}
