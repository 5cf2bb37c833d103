import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "@/api/client";
import type { Channel } from "@/api/types";
import { FormDialog } from "@/ui/Dialog";
import { Choice, Text } from "@/ui/Fields";
import { toast } from "@/ui/Toasts";
import { type MailFields, mailUrl } from "./mail";
import { CHANNELS } from "./words";

interface Props {
  channel: Channel | undefined;
  onClose: () => void;
}

export function ChannelForm({ channel, onClose }: Props) {
  const cache = useQueryClient();
  const [kind, setKind] = useState<string>(channel?.kind ?? "webhook");
  const send = async (fields: FormData) => {
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const mail = Object.fromEntries(
      [...fields].map(([name, value]) => [name, String(value).trim()]),
    );
    const name = channel?.name ?? text("name");
    const url = kind === "email" ? mailUrl(mail as unknown as MailFields) : text("url");
    const body = { url, secret: text("secret") || null, note: text("note") };
    await ask("putAlertChannel", { path: [name], body });
    toast.done(`${name} is saved. Press Test to try it.`);
    await cache.invalidateQueries();
  };
  return (
    <FormDialog
      open
      title={channel ? `Edit ${channel.name}` : "New channel"}
      submit="Save"
      onClose={onClose}
      onSubmit={send}
    >
      {!channel && <Text name="name" label="Name" required maxLength={200} />}
      <Choice legend="Kind" options={CHANNELS} value={kind} onChange={setKind} />
      {channel && (
        <p className="rounded-md bg-sunken px-3 py-2 text-ink-2">
          {"Now "}
          <span className="font-mono text-xs break-all">{channel.url}</span>
          {". Write all of it again: what is secret in it is not shown."}
        </p>
      )}
      {kind === "email" ? <Mail /> : <Url key={kind} kind={kind} />}
      {kind === "webhook" && (
        <Text
          name="secret"
          label="Signing secret"
          placeholder={channel?.isSigned ? "write it again, or messages are not signed" : "none"}
          hint="The key of the signature, or ${NAME} for a variable of the environment."
        />
      )}
      <Text
        name="note"
        label="Note"
        initial={channel?.note}
        maxLength={2000}
        hint="Who is reached, for those who wonder."
      />
    </FormDialog>
  );
}

const EXAMPLES: Record<string, string> = {
  webhook: "https://example.org/hook",
  slack: `https://hooks.slack.com/services/T0/B0/\${SLACK_KEY}`,
  apprise: `pagerduty://\${PAGERDUTY_KEY}@...`,
};

function Url({ kind }: { kind: string }) {
  const isForeign = kind === "apprise";
  return (
    <Text
      name="url"
      label="URL"
      mono
      required
      placeholder={EXAMPLES[kind] ?? ""}
      hint={`${isForeign ? "As Apprise writes it; the server needs rota[alerts]. " : ""}\${NAME} is a variable of the environment that sends, so that a secret need not be stored.`}
    />
  );
}

const ENCRYPTION = [
  ["starttls", "when the server can (STARTTLS)"],
  ["tls", "from the beginning (TLS)"],
] as const;

function Mail() {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <Text name="host" label="Mail server" required placeholder="mail.example.org" />
        <Text name="port" label="Port" type="number" min={1} max={65535} placeholder="587" />
      </div>
      <Text name="encryption" label="Encrypted" options={ENCRYPTION} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Text name="user" label="User" placeholder="none" />
        <Text
          name="password"
          label="Password"
          type="password"
          placeholder="none"
          hint="${NAME} is a variable of the environment that sends."
        />
      </div>
      <Text name="from" label="From" required placeholder="rota@example.org" />
      <Text name="to" label="To" required hint="Addresses with commas between them." />
    </>
  );
}
