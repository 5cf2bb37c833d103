import { useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { newestMessages } from "@/api/queries";
import type { AlertMessage, Channel } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Skeleton } from "@/ui/Panels";
import { toast } from "@/ui/Toasts";
import { MessageTag, Outcome } from "./Messages";

const POLL_MS = 700;

/** Sends a message now and shows whether it arrived. */
export function TestChannel({ channel }: { channel: Channel }) {
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState<AlertMessage | null>(null);
  if (!may(channel, "test")) return null;
  const send = () => {
    setBusy(true);
    ask("testAlertChannel", { path: [channel.name] })
      .then(setSent, (error) => toast.failed(error))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <Button tone="quiet" busy={busy} icon={<Send className="size-3.5" />} onClick={send}>
        Test
      </Button>
      {sent && (
        <Dialog open title={`Test of ${channel.name}`} onClose={() => setSent(null)}>
          <Answer sent={sent} />
        </Dialog>
      )}
    </>
  );
}

function Answer({ sent }: { sent: AlertMessage }) {
  const { data } = useQuery({ ...newestMessages(sent.channel), refetchInterval: POLL_MS });
  const message = data?.items.find(({ id }) => id === sent.id);
  return (
    <div role="status" className="space-y-2">
      {message ? (
        <>
          <MessageTag message={message} />
          <Outcome message={message} />
        </>
      ) : (
        <Skeleton lines={2} />
      )}
    </div>
  );
}
