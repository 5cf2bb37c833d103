import { useQuery } from "@tanstack/react-query";
import { type LucideIcon, Pencil, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { may, type Subject } from "@/api/actions";
import { session } from "@/api/queries";
import type { Page } from "@/api/types";
import { Actions } from "./Actions";
import { Button } from "./Button";
import { Card, Empty, Load } from "./Panels";
import { toast } from "./Toasts";

interface Item {
  name: string;
  verbs: string[];
}

interface Props<T extends Item> {
  query: { data: Page<T> | undefined; error: unknown; refetch: () => unknown };
  subject: Subject;
  /** What a session must be allowed to make new ones. */
  create: string;
  title: string;
  icon: LucideIcon;
  empty: string;
  about: string;
  /** As it is now, with its version: what a list told may be old. */
  read: (name: string) => Promise<T>;
  describe: (item: T) => ReactNode;
  form: (item: T | undefined, onClose: () => void) => ReactNode;
  more?: (item: T) => ReactNode;
}

/** A short list of named things with a form for each: calendars, windows, templates. */
export function Kept<T extends Item>(props: Props<T>) {
  const { data: who } = useQuery(session);
  const [edited, setEdited] = useState<T | "new" | null>(null);
  const edit = (name: string) => void props.read(name).then(setEdited, toast.failed);
  const add = may(who, props.create) && (
    <Button icon={<Plus className="size-3.5" />} onClick={() => setEdited("new")}>
      {props.title}
    </Button>
  );
  return (
    <Card flush>
      <Load query={props.query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={props.icon} title={props.empty} action={add}>
              {props.about}
            </Empty>
          ) : (
            <>
              <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2.5">
                <p className="min-w-48 flex-1 text-ink-2">{props.about}</p>
                {add}
              </div>
              <ul className="divide-y divide-line">
                {items.map((each) => (
                  <li
                    key={each.name}
                    className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3"
                  >
                    <p className="min-w-40 flex-1 font-medium break-words">{each.name}</p>
                    <div className="min-w-56 flex-[2] break-words">{props.describe(each)}</div>
                    <div className="flex gap-2">
                      {props.more?.(each)}
                      {may(each, "edit") && (
                        <Button
                          tone="quiet"
                          icon={<Pencil className="size-3.5" />}
                          onClick={() => edit(each.name)}
                        >
                          Edit
                        </Button>
                      )}
                      <Actions
                        compact
                        subject={props.subject}
                        item={each}
                        id={each.name}
                        name={each.name}
                      />
                    </div>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Load>
      {edited && props.form(edited === "new" ? undefined : edited, () => setEdited(null))}
    </Card>
  );
}
