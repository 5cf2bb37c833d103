/** What readers should hear when nothing on the page has the focus: one voice, so that none talks over another. */

let said = "";
const listeners = new Set<() => void>();

export function announce(text: string): void {
  said = text;
  for (const listener of listeners) listener();
}

export function announced(): string {
  return said;
}

export function onAnnounced(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
