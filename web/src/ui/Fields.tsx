/** Fields of forms that a form reads by their names when it is sent. */
import type { ReactNode } from "react";
import { Field } from "./Dialog";

interface Props {
  name: string;
  label: string;
  hint?: ReactNode;
  problem?: string | undefined;
  initial?: string | number | null | undefined;
  type?: string;
  required?: boolean;
  mono?: boolean;
  placeholder?: string;
  min?: number;
  max?: number;
  maxLength?: number;
  readOnly?: boolean;
  /** More than one line. */
  rows?: number;
  /** One of these and nothing else. */
  options?: readonly (string | readonly [string, string])[];
  /** Known answers; others are as good. */
  suggestions?: readonly string[];
  onText?: (text: string) => void;
}

export function Text(props: Props) {
  const { name, label, hint, problem, initial, mono, rows, options, suggestions, onText, ...rest } =
    props;
  const shared = {
    name,
    defaultValue: initial ?? "",
    className: `field w-full [&[readonly]]:bg-sunken ${mono ? "font-mono" : ""} ${rows ? "h-auto py-1.5" : ""}`,
    onChange: (event: { target: { value: string } }) => onText?.(event.target.value),
  };
  const { required } = rest;
  return (
    <Field label={label} hint={hint} problem={problem} required={required && !rest.readOnly}>
      {(id) => {
        if (options)
          return (
            <select id={id} {...shared}>
              {options.map((each) => {
                const [value, title] = typeof each === "string" ? [each, each] : each;
                return (
                  <option key={value} value={value}>
                    {title}
                  </option>
                );
              })}
            </select>
          );
        if (rows)
          return (
            <textarea id={id} {...shared} rows={rows} required={required} spellCheck={false} />
          );
        const list = suggestions && `${id}-known`;
        return (
          <>
            <input
              id={id}
              {...shared}
              {...rest}
              {...(list && { list })}
              spellCheck={!mono}
              autoComplete="off"
            />
            {list && (
              <datalist id={list}>
                {suggestions.map((each) => (
                  <option key={each} value={each} />
                ))}
              </datalist>
            )}
          </>
        );
      }}
    </Field>
  );
}

interface ChoiceProps {
  legend: string;
  options: readonly (readonly [string, string])[];
  value: string;
  onChange: (value: string) => void;
}

/** One of a few, all of them to be seen. */
export function Choice({ legend, options, value, onChange }: ChoiceProps) {
  return (
    <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
      <legend className="mb-1 font-medium">{legend}</legend>
      {options.map(([key, title]) => (
        <label key={key} className="flex items-center gap-2 max-sm:min-h-10">
          <input
            type="radio"
            name={legend}
            checked={value === key}
            onChange={() => onChange(key)}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}
