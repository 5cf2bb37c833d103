import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Building2, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { keys } from "@/api/keys";
import { namespaces, session } from "@/api/queries";
import type { Namespace } from "@/api/types";
import { count } from "@/lib/format";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { Card, Empty, Load } from "@/ui/Panels";
import { Time } from "@/ui/Time";
import { toast } from "@/ui/Toasts";

type Quota = keyof Namespace["quotas"];

const QUOTAS: [Quota, string, string][] = [
  ["queued", "Waiting runs", "At most so many."],
  ["running", "Running runs", "At most so many at once."],
  ["rate", "Submits a second", "At each server."],
  ["payload", "Bytes of arguments", "Of one run."],
];

/** Tenants: what is in one cannot be seen from another. */
export function Namespaces() {
  const query = useQuery(namespaces());
  const [edited, setEdited] = useState<Namespace | null>(null);
  return (
    <Card flush>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Building2} title="No namespaces">
              One for each team or customer keeps their jobs apart.
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {items.map((each) => (
                <One key={each.name} space={each} edit={() => setEdited(each)} />
              ))}
            </ul>
          )
        }
      </Load>
      {edited && <NamespaceForm space={edited} onClose={() => setEdited(null)} />}
    </Card>
  );
}

function One({ space, edit }: { space: Namespace; edit: () => void }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-40 flex-1">
        <p className="font-medium break-words">{space.name}</p>
        <p className="text-xs text-ink-2 break-words">
          {space.note ||
            (space.createdAt ? <Created at={space.createdAt} /> : "Where everything is at first.")}
        </p>
      </div>
      <dl className="grid flex-[3] max-sm:basis-full grid-cols-2 gap-x-6 gap-y-1 sm:grid-cols-4">
        {QUOTAS.map(([key, title]) => (
          <div key={key}>
            <dt className="text-xs text-ink-2">{title}</dt>
            <dd className={`num ${space.quotas[key] == null ? "text-ink-3" : "font-medium"}`}>
              {space.quotas[key] == null ? "no limit" : count(space.quotas[key])}
            </dd>
          </div>
        ))}
      </dl>
      <div className="flex gap-1 sm:w-32 sm:justify-end">
        {may(space, "change") && (
          <Button tone="quiet" icon={<Pencil className="size-3.5" />} onClick={edit}>
            Edit
          </Button>
        )}
        <Actions compact subject="namespace" item={space} id={space.name} name={space.name} />
      </div>
    </li>
  );
}

function Created({ at }: { at: string }) {
  return (
    <>
      Created <Time at={at} />
    </>
  );
}

export function NewNamespace() {
  const { data: who } = useQuery(session);
  const [isOpen, setOpen] = useState(false);
  if (!may(who, "create-namespace")) return null;
  return (
    <>
      <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={() => setOpen(true)}>
        New namespace
      </Button>
      {isOpen && <NamespaceForm onClose={() => setOpen(false)} />}
    </>
  );
}

function NamespaceForm({ space, onClose }: { space?: Namespace; onClose: () => void }) {
  const cache = useQueryClient();
  const send = async (fields: FormData) => {
    const number = (name: string) => Number(fields.get(name)) || null;
    const quotas = Object.fromEntries(QUOTAS.map(([key]) => [key, number(key)]));
    const body = { note: String(fields.get("note")).trim(), quotas };
    const name = space?.name ?? String(fields.get("name")).trim();
    if (space) await ask("changeNamespace", { path: [name], body });
    else await ask("createNamespace", { body: { ...body, name } });
    toast.done(space ? `${name} is saved.` : `Namespace ${name} is created.`);
    await cache.invalidateQueries({ queryKey: keys.namespaces });
  };
  return (
    <FormDialog
      open
      title={space ? `Edit ${space.name}` : "New namespace"}
      submit={space ? "Save" : "Create namespace"}
      onClose={onClose}
      onSubmit={send}
    >
      {!space && (
        <Text
          name="name"
          label="Name"
          required
          maxLength={200}
          hint={
            <>
              It needs tokens of its own:{" "}
              <code className="font-mono whitespace-nowrap">rota tokens create --namespace</code>.
            </>
          }
        />
      )}
      <Text name="note" label="Note" initial={space?.note} hint="Who it is for." />
      <div className="grid gap-4 sm:grid-cols-2">
        {QUOTAS.map(([key, title, hint]) => (
          <Text
            key={key}
            name={key}
            label={title}
            hint={hint}
            type="number"
            min={1}
            placeholder="no limit"
            initial={space?.quotas[key]}
          />
        ))}
      </div>
    </FormDialog>
  );
}
