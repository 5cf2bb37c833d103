import { Field } from "@/ui/Dialog";

const ZONES = Intl.supportedValuesOf("timeZone");

interface Props {
  name: string;
  zone: string;
  onZone: (zone: string) => void;
}

export function ZoneField({ name, zone, onZone }: Props) {
  return (
    <Field label="Time zone">
      {(id) => (
        <>
          <input
            id={id}
            name={name}
            list={`${id}-zones`}
            required
            value={zone}
            onChange={(event) => onZone(event.target.value)}
            className="field w-full"
          />
          <datalist id={`${id}-zones`}>
            {ZONES.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
