import { Search } from "lucide-react";
import { useId } from "react";
import { useTyped } from "@/lib/useTyped";

interface Props {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  className?: string;
  /** Offered while somebody types. */
  known?: string[];
}

const TYPING_MS = 250;

/** Waits until a person stops typing; follows the address when that changes. */
export function SearchField({ label, value, onChange, className = "", known }: Props) {
  const id = useId();
  const [text, setText] = useTyped(value ?? "", (typed) => onChange(typed || undefined), TYPING_MS);
  return (
    <div className={`relative ${className}`}>
      <Search aria-hidden className="absolute inset-y-0 left-2.5 my-auto size-4 text-ink-3" />
      <input
        type="search"
        data-filter
        aria-label={label}
        placeholder={label}
        title={`${label} (press /)`}
        className="field w-full pl-8"
        value={text}
        onChange={(event) => setText(event.target.value)}
        {...(known && { list: id })}
      />
      {known && (
        <datalist id={id}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </div>
  );
}
