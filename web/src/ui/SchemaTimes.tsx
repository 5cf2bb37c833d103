/** Fields for days, times and lengths of time. */
import { useState } from "react";
import { isoDuration, plainDuration } from "@/lib/isoDuration";

interface Props {
  id: string;
  name: string;
  isRequired: boolean;
  value: unknown;
  onValue: (value: unknown, problem: string | null) => void;
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

export function Day({ id, isRequired, value, onValue }: Props) {
  return (
    <input
      id={id}
      type="date"
      required={isRequired}
      value={textOf(value)}
      onChange={({ target }) => onValue(target.value || undefined, null)}
      className="field w-full"
    />
  );
}

export function TimeOfDay({ id, isRequired, value, onValue }: Props) {
  return (
    <input
      id={id}
      type="time"
      step={1}
      required={isRequired}
      value={textOf(value).slice(0, "hh:mm:ss".length)}
      onChange={({ target }) => onValue(target.value || undefined, null)}
      className="field w-full"
    />
  );
}

/** Written in the zone of the browser, sent as an instant. */
export function Instant({ id, isRequired, value, onValue }: Props) {
  return (
    <input
      id={id}
      type="datetime-local"
      step={1}
      required={isRequired}
      value={localOf(textOf(value))}
      onChange={({ target }) => onValue(instantOf(target.value), null)}
      className="field w-full"
    />
  );
}

export function instantOf(local: string): string | undefined {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** As a clock on the wall of the reader shows it; one without a zone as it is. */
export function localOf(instant: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return "";
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, "yyyy-mm-ddThh:mm:ss".length);
}

export function Length({ id, name, isRequired, value, onValue }: Props) {
  const [typed, setTyped] = useState(() => plainDuration(textOf(value)));
  const edit = (text: string) => {
    setTyped(text);
    const iso = isoDuration(text);
    if (text.trim() === "") onValue(undefined, null);
    else onValue(iso ?? value, iso ? null : `${name}: write a length of time such as 90m`);
  };
  return (
    <input
      id={id}
      required={isRequired}
      value={typed}
      placeholder="1h 30m"
      aria-invalid={(typed.trim() !== "" && isoDuration(typed) === null) || undefined}
      onChange={({ target }) => edit(target.value)}
      className="field w-full"
    />
  );
}
