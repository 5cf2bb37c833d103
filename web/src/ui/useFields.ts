import { useState } from "react";
import { type Values, withValue } from "@/lib/schema";

type Change<T> = (value: T, problem: string | null) => void;

/** Fields of one object: a change of one keeps what is wrong with the others. */
export function useFields(values: Values, onChange: Change<Values>) {
  const [problems, setProblems] = useState<Record<string, string>>({});
  const change = (name: string, value: unknown, problem: string | null) => {
    const { [name]: _, ...others } = problems;
    const all = problem ? { ...others, [name]: problem } : others;
    setProblems(all);
    onChange(withValue(values, name, value), Object.values(all)[0] ?? null);
  };
  return { change, forget: () => setProblems({}) };
}
