import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { alertChannels } from "@/api/queries";
import type { Channel } from "@/api/types";
import { plural } from "@/lib/format";
import { Kept } from "@/ui/Kept";
import { Tag } from "@/ui/State";
import { Time } from "@/ui/Time";
import { ChannelForm } from "./ChannelForm";
import { TestChannel } from "./TestChannel";
import { CHANNELS } from "./words";

export function Channels() {
  const cache = useQueryClient();
  // There is no page of one channel; the list has all of it.
  const read = async (name: string) => {
    const { items } = await cache.fetchQuery(alertChannels());
    return items.find((each) => each.name === name) as Channel;
  };
  return (
    <Kept
      query={useQuery(alertChannels())}
      subject="alertChannel"
      create="create-alert-channel"
      title="New channel"
      icon={Send}
      empty="No channels"
      about="A channel is a way to reach people: a webhook, Slack, e-mail, or another service."
      read={read}
      describe={(each) => <About channel={each} />}
      more={(each) => <TestChannel channel={each} />}
      form={(each, onClose) => <ChannelForm channel={each} onClose={onClose} />}
    />
  );
}

function About({ channel }: { channel: Channel }) {
  const { kind, isSigned, note, url, waiting, sentAt, failedAt, error } = channel;
  const title = CHANNELS.find(([key]) => key === kind)?.[1];
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span>{title}</span>
        <span className="min-w-0 font-mono text-xs break-all text-ink-2">{url}</span>
        {isSigned && <Tag mood="ok">Signed</Tag>}
        {failedAt && <Tag mood="bad">Failing</Tag>}
      </p>
      <p className="text-xs text-ink-2">
        {sentAt ? (
          <>
            {"Last delivery "}
            <Time at={sentAt} ago />
          </>
        ) : (
          "Nothing delivered yet"
        )}
        {waiting > 0 && ` · ${plural(waiting, "message waits", "messages wait")}`}
        {note && ` · ${note}`}
      </p>
      {error && (
        <p className="text-xs text-bad">
          <Time at={failedAt} ago />
          {`: ${error}`}
        </p>
      )}
    </>
  );
}
