import { useState } from "react";
import { hereZone } from "@/lib/time";
import { Text } from "@/ui/Fields";
import { Meaning } from "./Meaning";
import { EXPRESSIONS } from "./words";
import { ZoneField } from "./ZoneField";

/** When a new job runs, with what the server makes of it; empty for a job that is only triggered. */
export function ScheduleField() {
  const [expression, setExpression] = useState("");
  const [zone, setZone] = useState(hereZone());
  return (
    <fieldset className="space-y-3 border-t border-line pt-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Text
          name="schedule"
          label="When"
          mono
          hint={`${EXPRESSIONS} Leave it empty to start the job by hand.`}
          placeholder="0 6 * * mon-fri"
          onText={setExpression}
        />
        <ZoneField name="timezone" zone={zone} onZone={setZone} />
      </div>
      <Meaning expression={expression} zone={zone} />
    </fieldset>
  );
}
