import { useEffect } from "react";

/** Whoever closes a dialog is again where they were: at the button, or at the menu that held it. */
export function useReturnFocus(open: boolean): void {
  useEffect(() => {
    if (!open) return;
    const before = returnPlace(document.activeElement);
    return () => {
      if (before?.isConnected) before.focus({ preventScroll: true });
    };
  }, [open]);
}

/** The entry of a menu is gone by then; what opened the menu is not. */
function returnPlace(active: Element | null): HTMLElement | null {
  const opener = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const found = opener ? document.getElementById(opener) : active;
  return found instanceof HTMLElement && found !== document.body ? found : null;
}
