/**
 * The browser's own modal dialog: it traps focus, closes on Escape and hides the rest from readers.
 * Libraries for this inject style elements, which our content security policy refuses.
 */
import { X } from "lucide-react";
import {
  type FormEvent,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { useReturnFocus } from "@/lib/focus";
import { Button, IconButton } from "./Button";
import { ErrorPanel } from "./Panels";
import { Toasts, toast } from "./Toasts";

interface Props {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** A click beside it does not close it: what is in it would be lost. */
  kept?: boolean;
}

export function Dialog({ title, open, onClose, children, wide, kept }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useReturnFocus(open);
  useEffect(() => {
    const dialog = ref.current;
    if (open && dialog && !dialog.open) {
      dialog.showModal();
      // Left alone, the browser would choose the button that closes it.
      (dialog.querySelector<HTMLElement>("input, select, textarea") ?? dialog).focus();
    }
    if (!open && dialog?.open) dialog.close();
  }, [open]);
  if (!open) return null;
  // React lets these events of a dialog within this one come by here too.
  const onOwn = (event: SyntheticEvent) => event.target === ref.current && onClose();
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      tabIndex={-1}
      onCancel={onOwn}
      onClose={onOwn}
      onMouseDown={(event) => !kept && onOwn(event)}
      className={`w-[calc(100vw-2rem)] text-left text-sm font-normal whitespace-normal text-ink rounded-xl border border-line bg-raised p-0 shadow-high outline-none ${wide ? "max-w-3xl" : "max-w-lg"}`}
    >
      <div className="flex items-center gap-3 border-b border-line py-2 pr-2 pl-5">
        <h2 id={id} className="flex-1 text-base font-semibold break-words">
          {title}
        </h2>
        <IconButton label="Close" onClick={onClose}>
          <X className="size-4" />
        </IconButton>
      </div>
      <div className="p-5">{children}</div>
      <Toasts />
    </dialog>
  );
}

interface FormDialogProps {
  title: string;
  submit: string;
  danger?: boolean;
  wide?: boolean;
  open: boolean;
  onClose: () => void;
  /** Answers "stay" when there is a further step. */
  onSubmit: (fields: FormData) => Promise<unknown>;
  children?: ReactNode;
  disabled?: boolean;
}

/** A dialog that does one thing, shows why it could not, and closes when it did. */
export function FormDialog(props: FormDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const opening = useRef(0);
  const close = () => {
    opening.current += 1;
    setBusy(false);
    setError(null);
    props.onClose();
  };
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const opened = opening.current;
    const isHere = () => opened === opening.current;
    setBusy(true);
    setError(null);
    try {
      const next = await props.onSubmit(new FormData(event.currentTarget));
      if (isHere() && next !== "stay") close();
    } catch (failure) {
      // Who has closed it meanwhile, or opened it for something else, is told all the same.
      if (isHere()) setError(failure);
      else toast.failed(failure);
    } finally {
      if (isHere()) setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} open={props.open} onClose={close} wide={props.wide ?? false} kept>
      <form onSubmit={onSubmit} className="space-y-4">
        {props.children}
        {error !== null && <ErrorPanel error={error} />}
        <div className="flex justify-end gap-2 pt-1">
          <Button onClick={close}>{props.danger ? "Keep as it is" : "Cancel"}</Button>
          <Button
            type="submit"
            tone={props.danger ? "danger" : "primary"}
            busy={busy}
            disabled={props.disabled}
          >
            {props.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** What the server said is wrong with it. */
  problem?: string | undefined;
  required?: boolean | undefined;
  children: (id: string) => ReactNode;
}

export function Field({ label, hint, problem, required, children }: FieldProps) {
  const id = useId();
  const whole = useRef<HTMLDivElement>(null);
  // Read with the field, whatever the field is made of: its hint, and what is wrong with it.
  useEffect(() => {
    const told = [...(whole.current?.querySelectorAll("[data-told]") ?? [])].map(({ id }) => id);
    const field = document.getElementById(id);
    if (told.length > 0) field?.setAttribute("aria-describedby", told.join(" "));
    else field?.removeAttribute("aria-describedby");
  });
  useEffect(() => {
    if (!problem) return;
    const field = document.getElementById(id);
    field?.setAttribute("aria-invalid", "true");
    return () => field?.removeAttribute("aria-invalid");
  }, [id, problem]);
  return (
    <div ref={whole} className="space-y-1">
      <div className="flex items-baseline gap-2">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {required && (
          <span aria-hidden className="text-2xs text-ink-2">
            required
          </span>
        )}
      </div>
      {children(id)}
      {problem && (
        <p id={`${id}-problem`} data-told className="text-xs text-bad">
          {problem}
        </p>
      )}
      {hint && (
        <div id={`${id}-hint`} data-told className="text-xs text-ink-2">
          {hint}
        </div>
      )}
    </div>
  );
}
