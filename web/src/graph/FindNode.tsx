import { Search } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";

interface Props {
  nodes: readonly { name: string }[];
  onFind: (name: string) => void;
}

/** A node by its name, or a part of it: the picture goes there. */
export function FindNode({ nodes, onFind }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const go = (name: string | undefined) => {
    if (!name) return;
    onFind(name);
    setText("");
  };
  const onChange = (typed: string) => {
    setText(typed);
    // Chosen from the list; what is typed goes on until Enter.
    if (typed.length - text.length > 1) go(nodes.find(({ name }) => name === typed)?.name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go(bestOf(nodes, text));
  };
  return (
    <div className="relative mx-4 my-2">
      <Search aria-hidden className="absolute inset-y-0 left-2 my-auto size-3.5 text-ink-3" />
      <input
        type="search"
        aria-label="Find a node"
        placeholder="Find a node"
        list={id}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="field h-7 w-44 pl-7 max-sm:h-9"
      />
      <datalist id={id}>
        {nodes.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

/** The name itself, else one that begins so, else one that has it anywhere. */
export function bestOf(nodes: readonly { name: string }[], text: string): string | undefined {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return undefined;
  const names = nodes.map(({ name }) => name);
  const by = (fits: (name: string) => boolean) => names.find((name) => fits(name.toLowerCase()));
  return (
    by((name) => name === wanted) ??
    by((name) => name.startsWith(wanted)) ??
    by((name) => name.includes(wanted))
  );
}
