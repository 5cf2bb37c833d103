/** Keys for hands that stay on the keyboard; never while somebody types. */
import { useEffect } from "react";

export type Keys = Record<string, () => void>;

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** Single keys ("/") and pairs pressed within a second ("g r"). */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    let first = "";
    let at = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const isPair = first && event.timeStamp - at < 1000;
      const action = (isPair && keys[`${first} ${event.key}`]) || keys[event.key];
      first = event.key;
      at = event.timeStamp;
      if (!action) return;
      event.preventDefault();
      first = "";
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [keys]);
}
