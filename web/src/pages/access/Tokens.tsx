import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { session, tokens } from "@/api/queries";
import type { Token } from "@/api/types";
import { Actions } from "@/ui/Actions";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/Copy";
import { Dialog, Field, FormDialog } from "@/ui/Dialog";
import { Empty, Load } from "@/ui/Panels";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";

const COLUMNS: Column<Token>[] = [
  {
    key: "name",
    title: "Token",
    width: "minmax(0,1.3fr)",
    cell: (token) => <span className="font-medium">{token.name}</span>,
  },
  { key: "roles", title: "Roles", width: "minmax(0,1fr)", cell: (token) => token.roles.join(", ") },
  {
    key: "queues",
    title: "Queues",
    width: "minmax(0,1fr)",
    from: "md",
    cell: (token) => token.queues?.join(", ") || "all",
  },
  {
    key: "made",
    title: "Made",
    width: "9rem",
    right: true,
    from: "lg",
    cell: (token) => <Time at={token.createdAt} />,
  },
  {
    key: "used",
    title: "Last used",
    width: "7rem",
    right: true,
    from: "sm",
    cell: (token) => <Time at={token.usedAt} ago none="never" />,
  },
  {
    key: "ends",
    title: "Ends",
    width: "9rem",
    right: true,
    from: "md",
    cell: (token) => <Time at={token.expiresAt} none="never" />,
  },
  {
    key: "act",
    title: "",
    width: "2rem",
    cell: (token) => (
      <Actions compact subject="token" item={token} id={token.id} name={token.name} />
    ),
  },
];

export function Tokens() {
  const query = useQuery(tokens());
  return (
    <Load query={query}>
      {({ items }) => (
        <Table
          label="Tokens"
          rows={items}
          columns={COLUMNS}
          idOf={(token) => token.id}
          empty={
            <Empty icon={KeyRound} title="No tokens">
              Programs sign in with a token; make one for each.
            </Empty>
          }
        />
      )}
    </Load>
  );
}

/** What each may do. */
const ROLES = [
  ["viewer", "looks at everything"],
  ["operator", "also submits, cancels, reruns, pauses"],
  ["author", "also defines jobs and schedules"],
  ["admin", "also gives out tokens, reads the audit"],
  ["exec", "beside one of these: jobs that run programs"],
  ["audit", "beside one of these: reads the audit"],
  ["worker", "alone, for named queues: carries out runs"],
] as const;

export function NewToken() {
  const cache = useQueryClient();
  const { data: who } = useQuery(session);
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  if (!may(who, "create-token")) return null;
  const send = async (fields: FormData) => {
    const days = Number(fields.get("days"));
    const queues = String(fields.get("queues"))
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean);
    const answer = await ask("createToken", {
      body: {
        name: String(fields.get("name")).trim(),
        roles: fields.getAll("roles").map(String),
        ...(queues.length > 0 && { queues }),
        ...(days > 0 && { expires: `${days}d` }),
      },
    });
    setMade(answer.token);
    await cache.invalidateQueries({ queryKey: ["tokens"] });
  };
  return (
    <>
      <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={() => setOpen(true)}>
        New token
      </Button>
      <FormDialog
        open={open}
        title="New token"
        submit="Make it"
        onClose={() => setOpen(false)}
        onSubmit={send}
      >
        <Field label="Name" hint="Who or what will use it.">
          {(id) => <input id={id} name="name" required maxLength={100} className="field w-full" />}
        </Field>
        <fieldset>
          <legend className="mb-1 font-medium">Roles</legend>
          <div className="grid gap-y-1">
            {ROLES.map(([role, may]) => (
              <label key={role} className="flex items-baseline gap-2">
                <input
                  type="checkbox"
                  name="roles"
                  value={role}
                  defaultChecked={role === "viewer"}
                />
                <span className="w-16 shrink-0">{role}</span>
                <span className="text-xs text-ink-2">{may}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <Field
          label="Queues"
          hint="Names with commas; nothing for all of them. A worker names its own."
        >
          {(id) => <input id={id} name="queues" className="field w-full" />}
        </Field>
        <Field label="Days until it ends" hint="Empty: it does not end by itself.">
          {(id) => (
            <input
              id={id}
              name="days"
              type="number"
              min={1}
              defaultValue={90}
              className="field w-full"
            />
          )}
        </Field>
      </FormDialog>
      <Dialog open={made !== null} title="Copy the token now" onClose={() => setMade(null)}>
        <p className="mb-3">It is shown this once; the server keeps only its digest.</p>
        <p className="flex items-center gap-2 rounded-md bg-sunken p-3 font-mono text-xs break-all">
          <span className="flex-1">{made}</span>
          {made && <CopyButton text={made} label="Copy the token" />}
        </p>
      </Dialog>
    </>
  );
}
