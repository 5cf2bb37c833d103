import { useQuery } from "@tanstack/react-query";
import { Tag } from "lucide-react";
import { useId, useState } from "react";
import { labels } from "@/api/queries";
import { typedLabel } from "./labels";

interface Props {
  onAdd: (label: string) => void;
  className?: string;
}

/** Offers names that runs have, and after `team=` the values of that name. */
export function LabelField({ onAdd, className = "" }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const { name, prefix } = typedLabel(text);
  const names = useQuery(labels()).data?.items.map((each) => `${each.name}=`) ?? [];
  const { data } = useQuery({ ...labels(name, prefix), enabled: name !== undefined });
  const values = name ? (data?.items ?? []).map((each) => `${each.name}=${each.value}`) : [];
  const add = (label: string) => {
    setText("");
    onAdd(label);
  };
  // Chosen from the list, a value is complete; typed, it is when somebody says so.
  const change = (next: string, isTyped: boolean) => {
    if (!isTyped && values.includes(next)) add(next);
    else setText(next);
  };
  return (
    <form
      className={`relative ${className}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) add(text.trim());
      }}
    >
      <Tag aria-hidden className="absolute inset-y-0 left-2.5 my-auto size-4 text-ink-3" />
      <input
        aria-label="Label"
        placeholder="team=billing"
        title="team=billing, amount>10 or a name alone; press Enter"
        className="field w-full pl-8"
        list={id}
        autoComplete="off"
        value={text}
        onChange={(event) => {
          const how = (event.nativeEvent as InputEvent).inputType;
          change(event.target.value, Boolean(how) && how !== "insertReplacementText");
        }}
      />
      <datalist id={id}>
        {(name ? values : names).map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </form>
  );
}
