import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon, Search, X } from "lucide-react";
import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useKeys } from "@/lib/keys";
import { patiently } from "@/lib/patiently";
import { useWidth, WIDTHS } from "@/lib/useWidth";
import { IconButton } from "@/ui/Button";
import { LiveDot } from "./LiveDot";
import { useLive } from "./live";
import { ALL_PLACES } from "./nav";
import { Brand, SideBar } from "./SideBar";
import { Stale } from "./Stale";

const Palette = lazy(patiently(() => import("./Palette")));

export function Shell() {
  const live = useLive();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const nav = useNav(path);
  const [isPaletteOpen, setPaletteOpen] = usePalette();
  const main = useRef<HTMLElement>(null);
  useEffect(() => live.start(), [live]);
  useFocusOnNewPage(main, path);
  useShortcuts(setPaletteOpen);
  const openPalette = () => setPaletteOpen(true);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[13.5rem_minmax(0,1fr)]">
      <button
        type="button"
        onClick={() => main.current?.focus()}
        className="fixed -top-20 left-2 z-50 rounded-md bg-accent px-3 py-2 text-accent-ink focus:top-2"
      >
        Skip to content
      </button>
      <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b border-line bg-surface px-3 lg:hidden">
        <IconButton
          ref={nav.button}
          label={nav.isOpen ? "Close the menu" : "Open the menu"}
          aria-expanded={nav.isOpen}
          onClick={nav.toggle}
        >
          {nav.isOpen ? <X className="size-5" /> : <MenuIcon className="size-5" />}
        </IconButton>
        <Brand />
        <span className="flex-1" />
        <LiveDot />
        <IconButton label="Search" onClick={openPalette}>
          <Search className="size-4.5" />
        </IconButton>
      </header>
      <SideBar isOpen={nav.isOpen} onEscape={nav.leave} onSearch={openPalette} />
      <main
        ref={main}
        id="main"
        tabIndex={-1}
        inert={nav.isCovering}
        className="min-w-0 px-4 py-5 outline-none sm:px-6 lg:px-8 lg:py-7"
      >
        <div className="mx-auto max-w-[90rem]">
          <Stale />
          <Outlet />
        </div>
      </main>
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** The menu of a phone. */
function useNav(path: string) {
  const button = useRef<HTMLButtonElement>(null);
  // Of one page: with the next one it is closed.
  const [openOn, setOpenOn] = useState<string | null>(null);
  const isOpen = openOn === path;
  // What lies under the open menu is out of reach, as it is out of sight.
  const isCovering = useWidth() < WIDTHS.lg && isOpen;
  const toggle = () => setOpenOn(isOpen ? null : path);
  const leave = () => {
    if (!isCovering) return;
    setOpenOn(null);
    button.current?.focus();
  };
  return { button, isOpen, isCovering, toggle, leave };
}

/** Ctrl K works everywhere, also while somebody types. */
function usePalette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen((open) => !open);
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return [isOpen, setOpen] as const;
}

function useShortcuts(setPaletteOpen: (isOpen: boolean) => void): void {
  const navigate = useNavigate();
  const keys = useMemo(() => {
    const places = ALL_PLACES.map((place) => [place.keys, () => void navigate({ to: place.to })]);
    const focusFilter = () => document.querySelector<HTMLElement>("[data-filter]")?.focus();
    return { ...Object.fromEntries(places), "/": focusFilter, "?": () => setPaletteOpen(true) };
  }, [navigate, setPaletteOpen]);
  useKeys(keys);
}

/** What had the focus went with its page; the next Tab leads into the new one. */
function useFocusOnNewPage(main: RefObject<HTMLElement | null>, path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    main.current?.focus({ preventScroll: true });
  }, [main, path]);
}
