interface Props {
  options: readonly (readonly [string, string])[];
  value: string;
  onChange: (value: string) => void;
}

/** How far back figures go. */
export function Windows({ options, value, onChange }: Props) {
  return (
    <div
      role="radiogroup"
      aria-label="Window"
      className="flex rounded-md border border-line-strong bg-surface p-0.5"
    >
      {options.map(([key, title]) => (
        <label
          key={key}
          className="cursor-pointer rounded px-2.5 py-1 max-sm:py-2 text-xs font-medium text-ink-2 has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2"
        >
          <input
            type="radio"
            name="window"
            className="sr-only"
            checked={key === value}
            onChange={() => onChange(key)}
          />
          {title}
        </label>
      ))}
    </div>
  );
}
