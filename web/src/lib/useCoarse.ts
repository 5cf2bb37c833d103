import { useSyncExternalStore } from "react";

const COARSE = "(pointer: coarse)";

function onChange(tell: () => void): () => void {
  const query = matchMedia(COARSE);
  query.addEventListener("change", tell);
  return () => query.removeEventListener("change", tell);
}

/** Whether it is pressed with fingers; the styles say `pointer-coarse`. */
export function useCoarse(): boolean {
  return useSyncExternalStore(onChange, () => matchMedia(COARSE).matches);
}
