import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Action } from "@/api/actions";
import { Field, FormDialog } from "./Dialog";
import { toast } from "./Toasts";

interface Props {
  action: Action;
  name: string;
  perform: (note?: string) => Promise<unknown>;
  onClose: () => void;
}

/** What a person agrees to before something happens. */
export function ActionDialog({ action, name, perform, onClose }: Props) {
  return (
    <FormDialog
      open
      title={`${action.label} ${name}?`}
      submit={action.submit ?? action.label}
      danger={action.danger ?? false}
      onClose={onClose}
      onSubmit={(fields) => perform(String(fields.get("note") ?? "").trim())}
    >
      <p className="break-words">{action.confirm?.(name)}</p>
      {action.note && (
        <Field label="Note" hint="Optional; others see it beside the pause.">
          {(field) => <input id={field} name="note" maxLength={500} className="field w-full" />}
        </Field>
      )}
    </FormDialog>
  );
}

interface DoneProps {
  action: Action;
  id: string;
  name: string;
  onClose: () => void;
}

/** Does what was chosen elsewhere than at a button: at once, or when a person has agreed. */
export function DoAction({ action, id, name, onClose }: DoneProps) {
  const cache = useQueryClient();
  const isBegun = useRef(false);
  const perform = async (note?: string) => {
    await action.send(id, note);
    toast.done(action.done(name));
    await cache.invalidateQueries();
  };
  useEffect(() => {
    if (action.confirm || isBegun.current) return;
    isBegun.current = true;
    perform().catch((error) => toast.failed(error));
    onClose();
  });
  if (!action.confirm) return null;
  return <ActionDialog action={action} name={name} perform={perform} onClose={onClose} />;
}
