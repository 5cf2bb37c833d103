import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface Props {
  name: string;
  value: ReactNode;
  more?: ReactNode;
  to?: string;
  search?: Record<string, string>;
  alarm?: boolean;
  className?: string;
}

export function Stat({ name, value, more, to, search, alarm, className = "" }: Props) {
  const inner = (
    <>
      <span className="text-xs text-ink-2">{name}</span>
      <span
        className={`num mt-1 block text-2xl leading-8 max-sm:text-xl max-sm:leading-7 font-semibold tracking-tight ${alarm ? "text-bad" : ""}`}
      >
        {value}
      </span>
      <span className="num block min-h-4.5 text-xs text-ink-2">{more}</span>
    </>
  );
  const shape = `card block min-w-0 px-4 py-3 max-sm:px-3 max-sm:py-2 ${className}`;
  if (!to) return <div className={shape}>{inner}</div>;
  return (
    <Link to={to} search={search as never} className={`${shape} hover:border-line-strong`}>
      {inner}
    </Link>
  );
}
