import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark, Check, Save, Trash2 } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { keys } from "@/api/keys";
import { session, views } from "@/api/queries";
import type { Search } from "@/lib/search";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { Text } from "@/ui/Fields";
import { Menu, type MenuItem } from "@/ui/Menu";
import { toast } from "@/ui/Toasts";
import { filterOf, isShown, searchOf } from "./labels";

interface Props {
  search: Search;
  setSearch: (patch: Search) => void;
}

/** Filters with a name, for everybody in the namespace. */
export function Views({ search, setSearch }: Props) {
  const cache = useQueryClient();
  const { data: who } = useQuery(session);
  const known = useQuery(views()).data?.items ?? [];
  const [asked, setAsked] = useState<"save" | "remove" | null>(null);
  const shown = known.find((view) => isShown(view, search));
  const mayChange = may(who, "create-view");
  const done = async (text: string) => {
    toast.done(text);
    await cache.invalidateQueries({ queryKey: keys.views });
  };
  const save = async (fields: FormData) => {
    const name = String(fields.get("name"));
    const note = String(fields.get("note"));
    await ask("putView", { path: [name], body: { filter: filterOf(search), note } });
    await done(`The view ${name} is saved.`);
  };
  const remove = async () => {
    if (!shown) return;
    await ask("removeView", { path: [shown.name] });
    await done(`The view ${shown.name} is removed.`);
  };
  const items: MenuItem[] = known.map((view) => ({
    key: view.name,
    label: view.name,
    icon: view === shown ? <Check className="size-3.5" /> : <Bookmark className="size-3.5" />,
    onSelect: () => setSearch(searchOf(view.filter)),
  }));
  if (mayChange) {
    items.push({
      key: " save",
      label: "Save these filters …",
      icon: <Save className="size-3.5" />,
      onSelect: () => setAsked("save"),
    });
  }
  if (mayChange && shown) {
    items.push({
      key: " remove",
      label: `Remove ${shown.name} …`,
      icon: <Trash2 className="size-3.5" />,
      danger: true,
      onSelect: () => setAsked("remove"),
    });
  }
  if (items.length === 0) return null;
  return (
    <>
      <Menu
        label="Saved views"
        items={items}
        trigger={
          <Button icon={<Bookmark className="size-3.5" />}>
            {shown ? `View: ${shown.name}` : "Views"}
          </Button>
        }
      />
      <FormDialog
        open={asked === "save"}
        title="Save these filters"
        submit="Save the view"
        onClose={() => setAsked(null)}
        onSubmit={save}
      >
        <Text name="name" label="Name" required maxLength={128} initial={shown?.name} />
        <Text name="note" label="Note" maxLength={500} initial={shown?.note} />
      </FormDialog>
      <FormDialog
        open={asked === "remove"}
        title={`Remove the view ${shown?.name ?? ""}?`}
        submit="Remove the view"
        danger
        onClose={() => setAsked(null)}
        onSubmit={remove}
      >
        <p>Nobody in this namespace has it any more. No run changes.</p>
      </FormDialog>
    </>
  );
}
