import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { keys } from "@/api/keys";
import type { Token } from "@/api/types";
import { whoOf } from "@/lib/acts";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { Dialog, FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { Fact } from "@/ui/Panels";
import { Time } from "@/ui/Time";
import { Secret } from "./Secret";
import { TokenTag } from "./TokenTag";

/** A token: what it may do, who gave it out, when it was used; a new secret for it, or its end. */
export function OneToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  if (secret) return <Secret secret={secret} onClose={onClose} />;
  if (isRotating)
    return <Rotate token={token} onMade={setSecret} onClose={() => setRotating(false)} />;
  return (
    <Dialog open title={token.name} onClose={onClose}>
      <div className="space-y-4">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
          <Fact name="State">
            <TokenTag token={token} />
          </Fact>
          <Fact name="Roles">{token.roles.join(", ")}</Fact>
          <Fact name="Queues">{token.queues?.join(", ") || "all of them"}</Fact>
          <Fact name="Begins with">
            <code className="font-mono text-xs">{token.prefix}</code>
          </Fact>
          <Fact name="Created">
            <Time at={token.createdAt} />
            {` by ${whoOf(token.createdBy)}`}
          </Fact>
          <Fact name="Last used">
            <Time at={token.usedAt} ago none="never" />
          </Fact>
          <Fact name="Expires">
            <Time at={token.expiresAt} none="never" />
          </Fact>
          {token.revokedAt && (
            <Fact name="Revoked">
              <Time at={token.revokedAt} />
              {token.revokedBy && ` by ${whoOf(token.revokedBy)}`}
            </Fact>
          )}
        </dl>
        <p>
          <Link
            to="/audit"
            search={{ who: `token:${token.name}` } as never}
            className="link break-words"
          >
            {`All that ${token.name} did`}
          </Link>
        </p>
        <div className="flex flex-wrap justify-end gap-2">
          <Actions subject="token" item={token} id={token.id} name={token.name} />
          {may(token, "rotate") && (
            <Button icon={<RotateCw className="size-3.5" />} onClick={() => setRotating(true)}>
              Rotate
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

interface RotateProps {
  token: Token;
  onMade: (secret: string | null) => void;
  onClose: () => void;
}

function Rotate({ token, onMade, onClose }: RotateProps) {
  const cache = useQueryClient();
  const send = async (fields: FormData) => {
    const hours = Number(fields.get("hours"));
    const made = await ask("rotateToken", { path: [token.id], body: { overlap: `${hours}h` } });
    onMade(made.token);
    void cache.invalidateQueries({ queryKey: keys.tokens });
    return "stay";
  };
  return (
    <FormDialog
      open
      title={`New secret for ${token.name}?`}
      submit="Rotate"
      onClose={onClose}
      onSubmit={send}
    >
      <p>A new token of the same name and roles takes its place. Its secret is shown once.</p>
      <Text
        name="hours"
        label="The old one stays good for hours"
        type="number"
        min={0}
        max={720}
        initial={1}
        required
        hint="Time to change it wherever it is used; 0 ends it at once."
      />
    </FormDialog>
  );
}
