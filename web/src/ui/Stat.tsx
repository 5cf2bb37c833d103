import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface Props {
  name: string;
  value: ReactNode;
  more?: ReactNode;
  to?: string;
  search?: Record<string, string>;
  alarm?: boolean;
}

export function Stat({ name, value, more, to, search, alarm }: Props) {
  const inner = (
    <>
      <span className="text-xs text-ink-2">{name}</span>
      <span
        className={`num mt-1 block text-2xl leading-8 font-semibold tracking-tight ${alarm ? "text-bad" : ""}`}
      >
        {value}
      </span>
      <span className="num block min-h-4.5 text-xs text-ink-2">{more}</span>
    </>
  );
  const shape = "card block min-w-0 px-4 py-3";
  if (!to) return <div className={shape}>{inner}</div>;
  return (
    <Link to={to} search={search as never} className={`${shape} hover:border-line-strong`}>
      {inner}
    </Link>
  );
}
