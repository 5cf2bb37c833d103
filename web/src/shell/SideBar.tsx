import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { PLACES, type Place } from "./nav";
import { OpenAlerts } from "./OpenAlerts";
import { Person } from "./Person";

interface Props {
  isOpen: boolean;
  onEscape: () => void;
  onSearch: () => void;
}

/** The pages beside the page; on a phone over it, while it is open. */
export function SideBar({ isOpen, onEscape, onSearch }: Props) {
  return (
    <aside
      onKeyDown={(event) => event.key === "Escape" && onEscape()}
      className={`z-20 flex-col border-r border-line bg-surface max-lg:fixed max-lg:inset-x-0 max-lg:top-13 max-lg:bottom-0 max-lg:overflow-y-auto lg:sticky lg:top-0 lg:flex lg:h-dvh ${isOpen ? "flex" : "hidden"}`}
    >
      <div className="flex h-14 items-center px-4 max-lg:hidden">
        <Brand />
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="mx-3 mb-3 flex h-8 items-center gap-2 rounded-md border border-line bg-bg px-2.5 text-ink-2 hover:border-line-strong max-lg:hidden"
      >
        <Search aria-hidden className="size-3.5" />
        <span className="flex-1 text-left">Search</span>
        <kbd className="font-sans text-2xs">Ctrl K</kbd>
      </button>
      <nav aria-label="Pages" className="flex-1 space-y-5 overflow-y-auto px-3 py-1 max-lg:py-4">
        {PLACES.map((group) => (
          <div key={group.title}>
            <p className="mb-1 px-2 text-2xs font-medium text-ink-3">{group.title}</p>
            {group.places.map((place) => (
              <Way key={place.to} place={place} />
            ))}
          </div>
        ))}
      </nav>
      <Person />
    </aside>
  );
}

function Way({ place: { to, title, icon: Icon, keys } }: { place: Place }) {
  return (
    <Link
      to={to}
      title={`${title} (${keys})`}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      className="flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-ink-2 hover:bg-sunken hover:text-ink max-lg:h-10"
      activeProps={{
        className: "!bg-accent-soft !text-accent",
        "aria-current": "page",
      }}
    >
      <Icon aria-hidden className="size-4" />
      {title}
      {to === "/alerts" && <OpenAlerts />}
    </Link>
  );
}

export function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 text-base font-semibold tracking-tight">
      <img src="/rota.svg" alt="" className="size-6" />
      Rota
    </Link>
  );
}
