import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { LogOut, Menu as MenuIcon, Moon, Search, Sun, X } from "lucide-react";
import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { ask, isGone, signInAddress } from "@/api/client";
import { session } from "@/api/queries";
import { whoOf } from "@/lib/acts";
import { useKeys } from "@/lib/keys";
import { chooseTheme } from "@/lib/theme";
import { useWidth, WIDTHS } from "@/lib/useWidth";
import { IconButton } from "@/ui/Button";
import { toast } from "@/ui/Toasts";
import { useLive, useStreamState } from "./live";
import { ALL_PLACES, PLACES } from "./nav";
import { Stale } from "./Stale";

const Palette = lazy(() => import("./Palette"));

export function Shell() {
  const live = useLive();
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  // Of one page: with the next one it is closed.
  const [navOn, setNavOn] = useState<string | null>(null);
  const isNavOpen = navOn === path;
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => live.start(), [live]);
  useFocusOnNewPage(main, path);
  const menuButton = useRef<HTMLButtonElement>(null);
  // What lies under the open menu is out of reach, as it is out of sight.
  const isCovered = useWidth() < WIDTHS.lg && isNavOpen;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setPaletteOpen((open) => !open);
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const keys = useMemo(() => {
    const places = ALL_PLACES.map((place) => [place.keys, () => void navigate({ to: place.to })]);
    const focusFilter = () => document.querySelector<HTMLElement>("[data-filter]")?.focus();
    return { ...Object.fromEntries(places), "/": focusFilter, "?": () => setPaletteOpen(true) };
  }, [navigate]);
  useKeys(keys);
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
          ref={menuButton}
          label={isNavOpen ? "Close the menu" : "Open the menu"}
          aria-expanded={isNavOpen}
          onClick={() => setNavOn(isNavOpen ? null : path)}
        >
          {isNavOpen ? <X className="size-5" /> : <MenuIcon className="size-5" />}
        </IconButton>
        <Brand />
        <span className="flex-1" />
        <LiveDot />
        <IconButton label="Search" onClick={openPalette}>
          <Search className="size-4.5" />
        </IconButton>
      </header>
      <aside
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !isCovered) return;
          setNavOn(null);
          menuButton.current?.focus();
        }}
        className={`z-20 flex-col border-r border-line bg-surface max-lg:fixed max-lg:inset-x-0 max-lg:top-13 max-lg:bottom-0 max-lg:overflow-y-auto lg:sticky lg:top-0 lg:flex lg:h-dvh ${isNavOpen ? "flex" : "hidden"}`}
      >
        <div className="flex h-14 items-center px-4 max-lg:hidden">
          <Brand />
        </div>
        <button
          type="button"
          onClick={openPalette}
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
              {group.places.map(({ to, title, icon: Icon, keys: shortcut }) => (
                <Link
                  key={to}
                  to={to}
                  title={`${title} (${shortcut})`}
                  activeOptions={{ exact: to === "/", includeSearch: false }}
                  className="flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-ink-2 hover:bg-sunken hover:text-ink max-lg:h-10"
                  activeProps={{
                    className: "!bg-accent-soft !text-accent",
                    "aria-current": "page",
                  }}
                >
                  <Icon aria-hidden className="size-4" />
                  {title}
                </Link>
              ))}
            </div>
          ))}
        </nav>
        <Person />
      </aside>
      <main
        ref={main}
        id="main"
        tabIndex={-1}
        inert={isCovered}
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

/** What had the focus went with its page; the next Tab leads into the new one. */
function useFocusOnNewPage(main: RefObject<HTMLElement | null>, path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    main.current?.focus({ preventScroll: true });
  }, [main, path]);
}

function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 text-base font-semibold tracking-tight">
      <img src="/rota.svg" alt="" className="size-6" />
      Rota
    </Link>
  );
}

const WORDS = {
  live: ["bg-ok-fill", "Live"],
  connecting: ["bg-warn-fill", "Connecting"],
  waiting: ["bg-bad-fill", "Reconnecting"],
  away: ["bg-bad-fill", "No database"],
  stopped: ["bg-idle-fill", "Paused"],
} as const;

function LiveDot() {
  const state = useStreamState();
  const [colour, word] = WORDS[state];
  return (
    <span
      role="status"
      className="flex items-center gap-1.5 text-xs text-ink-2"
      title={`Live changes: ${word.toLowerCase()}`}
    >
      <span className={`size-2 rounded-full ${colour}`} />
      {word}
    </span>
  );
}

function Person() {
  const { data } = useQuery(session);
  const here = useRouterState({ select: (state) => state.location.href });
  const leave = async () => {
    try {
      await ask("endSession");
    } catch (error) {
      // Who believes to be signed out and is not leaves the session to whoever comes next.
      if (!isGone(error)) return toast.failed(error);
    }
    // The files of the page are for those who are signed in; the server has its own page for this.
    location.assign("/login");
  };
  const flip = () =>
    chooseTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  return (
    <div className="border-t border-line p-3">
      <div className="flex items-center gap-1">
        <div className="min-w-0 flex-1 pl-2">
          <p className="truncate font-medium" title={data?.who}>
            {data && whoOf(data.who)}
          </p>
          <a
            href={signInAddress(here)}
            title="All of this is of one namespace. Sign in with a token of another one to see that."
            className="block truncate text-xs text-ink-2 hover:underline"
          >
            {data?.namespace}
          </a>
        </div>
        <IconButton label="Light or dark" onClick={flip}>
          <Moon className="size-4 dark:hidden" />
          <Sun className="hidden size-4 dark:block" />
        </IconButton>
        {data?.csrfToken && (
          <IconButton label="Sign out" onClick={() => void leave()}>
            <LogOut className="size-4" />
          </IconButton>
        )}
      </div>
      <div className="mt-2 pl-2 max-lg:hidden">
        <LiveDot />
      </div>
    </div>
  );
}
