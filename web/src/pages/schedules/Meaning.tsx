import { useDeferredValue } from "react";
import { ErrorPanel } from "@/ui/Panels";
import { Firings } from "./Firings";
import { usePreview } from "./preview";

/** What the server makes of a line while it is typed, and the next few times of it. */
export function Meaning({ expression, zone }: { expression: string; zone: string }) {
  const preview = usePreview(useDeferredValue({ expression, zone, count: 5 }));
  const isEmpty = expression.trim() === "";
  return (
    <div aria-live="polite">
      {!isEmpty && preview.error && <ErrorPanel error={preview.error} />}
      {!isEmpty && preview.data && !preview.error && <Firings preview={preview.data} />}
    </div>
  );
}
