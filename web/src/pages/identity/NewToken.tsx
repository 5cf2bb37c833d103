import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type InputHTMLAttributes, useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { keys } from "@/api/keys";
import { session } from "@/api/queries";
import { useFilters } from "@/lib/useFilters";
import { namesOf } from "@/lib/words";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { EXTRAS, LEVELS } from "./roles";
import { Secret } from "./Secret";

export function NewToken() {
  const { data: who } = useQuery(session);
  const [search, setSearch] = useFilters();
  const [secret, setSecret] = useState<string | null>(null);
  if (!may(who, "create-token")) return null;
  return (
    <>
      <Button
        tone="primary"
        icon={<Plus className="size-3.5" />}
        onClick={() => setSearch({ new: "1" })}
      >
        New token
      </Button>
      {search.new && <TokenForm onMade={setSecret} onClose={() => setSearch({ new: undefined })} />}
      {secret && <Secret secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

interface FormProps {
  onMade: (secret: string | null) => void;
  onClose: () => void;
}

function TokenForm({ onMade, onClose }: FormProps) {
  const cache = useQueryClient();
  const [level, setLevel] = useState<string>("viewer");
  const isWorker = level === "worker";
  const send = async (fields: FormData) => {
    const days = Number(fields.get("days"));
    const queues = namesOf(String(fields.get("queues")));
    const answer = await ask("createToken", {
      body: {
        name: String(fields.get("name")).trim(),
        roles: [level, ...fields.getAll("extra").map(String)],
        ...(queues.length > 0 && { queues }),
        ...(days > 0 && { expires: `${days}d` }),
      },
    });
    onMade(answer.token);
    await cache.invalidateQueries({ queryKey: keys.tokens });
  };
  return (
    <FormDialog open title="New token" submit="Create token" onClose={onClose} onSubmit={send}>
      <Text name="name" label="Name" required maxLength={100} hint="Who or what will use it." />
      <fieldset>
        <legend className="mb-1 font-medium">Role</legend>
        {LEVELS.map(([role, does]) => (
          <Option
            key={role}
            does={does}
            type="radio"
            name="level"
            value={role}
            checked={level === role}
            onChange={() => setLevel(role)}
          />
        ))}
      </fieldset>
      {!isWorker && (
        <fieldset>
          <legend className="mb-1 font-medium">Also</legend>
          {EXTRAS.map(([role, does]) => (
            <Option key={role} does={does} type="checkbox" name="extra" value={role} />
          ))}
        </fieldset>
      )}
      <Text
        name="queues"
        label="Queues"
        required={isWorker}
        placeholder={isWorker ? "" : "all of them"}
        hint="Names with commas between them."
      />
      <Text
        name="days"
        label="Expires after days"
        type="number"
        min={1}
        initial={90}
        placeholder="never"
        hint="Leave it empty for a token that never expires."
      />
    </FormDialog>
  );
}

interface OptionProps extends InputHTMLAttributes<HTMLInputElement> {
  value: string;
  does: string;
}

function Option({ does, ...input }: OptionProps) {
  return (
    <label className="grid min-h-7 grid-cols-[auto_4.5rem_minmax(0,1fr)] items-center gap-x-2 max-sm:min-h-(--tap)">
      <input {...input} />
      <span>{input.value}</span>
      <span className="text-xs text-ink-2">{does}</span>
    </label>
  );
}
