import type { ButtonHTMLAttributes, ComponentProps, ReactNode } from "react";

export type Tone = "plain" | "primary" | "danger" | "quiet";

const TONES: Record<Tone, string> = {
  plain: "border-line-strong bg-surface text-ink hover:bg-sunken",
  primary: "border-transparent bg-accent text-accent-ink hover:opacity-90",
  danger: "border-transparent bg-bad text-surface hover:opacity-90",
  quiet: "border-transparent bg-transparent text-ink-2 hover:bg-sunken hover:text-ink",
};

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: Tone;
  icon?: ReactNode;
  busy?: boolean;
}

export function buttonClass(tone: Tone = "plain", extra = ""): string {
  const shape =
    "inline-flex h-(--tap) shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md border px-3 text-sm font-medium transition-colors disabled:opacity-50 aria-disabled:opacity-50";
  return `${shape} ${TONES[tone]} ${extra}`;
}

export function Button({ tone = "plain", icon, busy, children, className = "", ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      // One that is disabled while it works loses the focus.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
      className={buttonClass(tone, className)}
    >
      {icon}
      {children}
    </button>
  );
}

interface IconProps extends ComponentProps<"button"> {
  label: string;
}

/** A button with nothing but a picture; the label is for those who do not see it. */
export function IconButton({ label, children, className = "", ...rest }: IconProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={`inline-flex size-(--tap) shrink-0 items-center justify-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink disabled:opacity-50 ${className}`}
    >
      {children}
    </button>
  );
}
