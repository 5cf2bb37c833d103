import { useDeferredValue, useState } from "react";
import { Text } from "@/ui/Fields";
import { ErrorPanel } from "@/ui/Panels";
import { Firings } from "./Firings";
import { usePreview } from "./preview";
import { EXPRESSIONS } from "./words";
import { hereZone, ZoneField } from "./ZoneField";

/** When a new job runs, with what the server makes of it; empty for a job that is only triggered. */
export function ScheduleField() {
  const [expression, setExpression] = useState("");
  const [zone, setZone] = useState(hereZone());
  const preview = usePreview(useDeferredValue({ expression, zone, count: 5 }));
  return (
    <fieldset className="space-y-3 border-t border-line pt-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Text
          name="schedule"
          label="When"
          mono
          hint={`${EXPRESSIONS} Nothing: it runs when somebody triggers it.`}
          placeholder="0 6 * * mon-fri"
          onText={setExpression}
        />
        <ZoneField name="timezone" zone={zone} onZone={setZone} />
      </div>
      <div aria-live="polite">
        {expression.trim() !== "" && preview.error && <ErrorPanel error={preview.error} />}
        {expression.trim() !== "" && preview.data && !preview.error && (
          <Firings preview={preview.data} />
        )}
      </div>
    </fieldset>
  );
}
