/** Keys for hands that stay on the keyboard; never while somebody types. */
import { useEffect } from "react";

export type Keys = Record<string, () => void>;

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // In a menu letters lead to the entry that begins with them.
  if (target.isContentEditable || target.closest("[role=menu]")) return true;
  return ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

const KEY = "rota-keys";

/** Who speaks to the computer, or shares the keyboard with a cat, does without them. */
export function hasKeys(): boolean {
  return localStorage.getItem(KEY) !== "off";
}

export function chooseKeys(on: boolean): void {
  if (on) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, "off");
}

/** Single keys ("/") and pairs pressed within a second ("g r"). */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    let first = "";
    let at = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!hasKeys()) return;
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
