import { Maximize2, Minimize2 } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { isTyping } from "@/lib/keys";
import { Button } from "@/ui/Button";

/** A picture, with what belongs to it, that may have all of the window until Escape is pressed. */
export function FullScreen({
  children,
}: {
  children: (button: ReactNode, isFull: boolean) => ReactNode;
}) {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    if (!isFull) return;
    const onKeyDown = (event: KeyboardEvent) => {
      // Of a panel, a field or a dialog in it Escape closes that first.
      const isTheirs = event.defaultPrevented || isTyping(event.target);
      if (event.key !== "Escape" || isTheirs || document.querySelector("dialog[open]")) return;
      setFull(false);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [isFull]);
  const Icon = isFull ? Minimize2 : Maximize2;
  const button = (
    <Button
      tone="quiet"
      icon={<Icon className="size-3.5" />}
      aria-pressed={isFull}
      onClick={() => setFull(!isFull)}
    >
      Full screen
    </Button>
  );
  return (
    <div className={isFull ? "fixed inset-0 z-40 overflow-auto bg-surface" : ""}>
      {children(button, isFull)}
    </div>
  );
}
