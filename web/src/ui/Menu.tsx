import { Ellipsis } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { IconButton } from "./Button";

export interface MenuItem {
  key: string;
  label: string;
  icon?: ReactNode;
  danger?: boolean;
  onSelect: () => void;
}

interface Props {
  label: string;
  items: MenuItem[];
  trigger?: ReactNode;
}

/** Not modal: the modal kind injects a style element to lock scrolling, which our policy refuses. */
export function Menu({ label, items, trigger }: Props) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        {trigger ?? (
          <IconButton label={label}>
            <Ellipsis className="size-4" />
          </IconButton>
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-40 min-w-44 rounded-lg border border-line bg-raised p-1 shadow-high"
        >
          {items.map((item) => (
            <DropdownMenu.Item
              key={item.key}
              onSelect={item.onSelect}
              className={`flex cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 max-sm:py-2.5 text-sm outline-none data-[highlighted]:bg-sunken ${item.danger ? "text-bad" : ""}`}
            >
              {item.icon}
              {item.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
