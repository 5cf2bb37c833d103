import { useId } from "react";
import { pretty, readJson } from "@/lib/format";
import { CopyButton } from "./Copy";

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON with a little colour; every piece is a text node, whatever is in it. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = pretty(value);
  return (
    <div className="group relative">
      <pre
        role="region"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="scroll-thin max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs leading-5 whitespace-pre-wrap break-words"
      >
        {text.length > 100_000 ? text : coloured(text)}
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={text} />
      </div>
    </div>
  );
}

function coloured(text: string) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(text.slice(from, match.index));
    const [whole, quoted, colon] = match;
    const tone = colon ? "text-ink-2" : quoted ? "text-ok" : "text-run";
    parts.push(
      <span key={match.index} className={tone}>
        {quoted ?? whole}
      </span>,
      colon ?? "",
    );
    from = match.index + whole.length;
  }
  parts.push(text.slice(from));
  return parts;
}

interface EditorProps {
  id?: string;
  name: string;
  text: string;
  onText: (text: string) => void;
  rows?: number;
  required?: boolean;
}

export function JsonEditor({ id, name, text, onText, rows = 8, required }: EditorProps) {
  const { error } = readJson(text);
  const told = useId();
  return (
    <div>
      <textarea
        id={id}
        name={name}
        rows={rows}
        required={required}
        spellCheck={false}
        value={text}
        aria-invalid={error !== null}
        onChange={(event) => onText(event.target.value)}
        className={`block w-full rounded-md border bg-surface p-2.5 font-mono text-xs leading-5 ${error ? "border-bad" : "border-line-strong"}`}
      />
      <p id={told} data-told role="status" className="mt-1 text-xs text-bad empty:hidden">
        {error}
      </p>
    </div>
  );
}
