import { useEffect } from "react";

/**
 * Whoever closes a dialog is again where they were: at the button, or at the menu that held it.
 * If what they did took that away, they are as near to it as can be, not at the top of the page.
 */
export function useReturnFocus(open = true): void {
  useEffect(() => {
    if (!open) return;
    const before = returnPlace(document.activeElement);
    const around = before?.parentElement?.closest<HTMLElement>("dialog") ?? null;
    return () => {
      const main = document.getElementById("main");
      const place = [before, around, main].find((each) => each?.isConnected);
      if (document.activeElement === document.body) place?.focus({ preventScroll: true });
    };
  }, [open]);
}

/** The entry of a menu is gone by then; what opened the menu is not. */
function returnPlace(active: Element | null): HTMLElement | null {
  const opener = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const found = opener ? document.getElementById(opener) : active;
  return found instanceof HTMLElement && found !== document.body ? found : null;
}
