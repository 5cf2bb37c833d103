import { useQueryClient } from "@tanstack/react-query";
import { Ban, LogOut, Pause, Play, Trash2, Zap } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Action, offered, type Subject } from "@/api/actions";
import type { Acted } from "@/api/types";
import { ActionDialog } from "./ActionDialog";
import { Button } from "./Button";
import { Menu } from "./Menu";
import { toast } from "./Toasts";

const ICONS: Record<string, ReactNode> = {
  ban: <Ban className="size-3.5" />,
  pause: <Pause className="size-3.5" />,
  play: <Play className="size-3.5" />,
  trash: <Trash2 className="size-3.5" />,
  zap: <Zap className="size-3.5" />,
  drain: <LogOut className="size-3.5" />,
};

interface Props {
  subject: Subject;
  item: Acted;
  id: string;
  name: string;
  /** In rows: one small menu instead of buttons. */
  compact?: boolean;
  /** Where to go when the item is no more. */
  onGone?: (() => Promise<void>) | undefined;
}

/** What the API says this caller may do with the item now, as buttons. */
export function Actions({ subject, item, id, name, compact, onGone }: Props) {
  const cache = useQueryClient();
  const [asked, setAsked] = useState<Action | null>(null);
  const [sent, setSent] = useState<Action | null>(null);
  const actions = offered(subject, item);
  const perform = async (action: Action, note?: string) => {
    await action.send(id, note);
    toast.done(action.done(name));
    if (action.verb === "delete") await onGone?.();
    await cache.invalidateQueries();
  };
  const start = (action: Action) => {
    if (action.confirm) return setAsked(action);
    setSent(action);
    perform(action)
      .catch((error) => toast.failed(error, () => start(action)))
      .finally(() => setSent(null));
  };
  // What was asked may be allowed no more by now; its dialog stays, and the server says so.
  if (actions.length === 0 && !asked) return null;
  return (
    <>
      {compact ? (
        <Menu
          label={`Actions for ${name}`}
          items={actions.map((action) => ({
            key: action.verb,
            label: action.label,
            icon: ICONS[action.icon],
            danger: action.danger ?? false,
            onSelect: () => start(action),
          }))}
        />
      ) : (
        // By place, not by verb: the focus stays on the button when Pause becomes Resume.
        actions.map((action, index) => (
          <Button
            key={index}
            icon={ICONS[action.icon]}
            busy={sent === action}
            onClick={() => start(action)}
          >
            {action.label}
          </Button>
        ))
      )}
      {asked && (
        <ActionDialog
          action={asked}
          name={name}
          perform={(note) => perform(asked, note)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
