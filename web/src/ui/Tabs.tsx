import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";

interface Tab {
  key: string;
  title: string;
  count?: number | undefined;
}

interface Props {
  label: string;
  tabs: Tab[];
  current: string;
  /** What the current one shows. */
  children: ReactNode;
}

/** The one that the address names; the first, if there is no such one. */
export function tabOf(tabs: Tab[], named: string | undefined): string {
  return (tabs.find((tab) => tab.key === named) ?? tabs[0])?.key ?? "";
}

/** On a phone there are more tabs than fit. */
function intoView(tab: HTMLElement | null): void {
  const list = tab?.parentElement;
  if (!tab || !list || list.scrollWidth <= list.clientWidth) return;
  list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
}

function placeAfter(key: string, from: number, many: number): number {
  const places: Record<string, number> = {
    ArrowRight: (from + 1) % many,
    ArrowLeft: (from - 1 + many) % many,
    Home: 0,
    End: many - 1,
  };
  return places[key] ?? -1;
}

/** The chosen tab is in the address (`?tab=`), so that it can be linked to. */
export function Tabs({ label, tabs, current, children }: Props) {
  const navigate = useNavigate();
  const id = useId();
  // By arrow keys one passes tabs on the way to another; only a click is a step to go back from.
  const open = (key: string, isPassing = false) =>
    void navigate({
      to: ".",
      search: ((old: object) => ({ ...old, tab: key })) as never,
      replace: isPassing || key === current,
      resetScroll: false,
    });
  return (
    <>
      <div
        role="tablist"
        aria-label={label}
        className="scroll-thin relative mb-4 flex gap-1 overflow-x-auto border-b border-line"
      >
        {tabs.map((tab, index) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-${tab.key}`}
            aria-controls={tab.key === current ? `${id}-panel` : undefined}
            aria-selected={tab.key === current}
            tabIndex={tab.key === current ? 0 : -1}
            ref={tab.key === current ? intoView : undefined}
            onClick={() => open(tab.key)}
            onKeyDown={(event) => {
              const next = tabs[placeAfter(event.key, index, tabs.length)];
              if (!next) return;
              event.preventDefault();
              open(next.key, true);
              const all =
                event.currentTarget.parentElement?.querySelectorAll<HTMLElement>("[role=tab]");
              all?.[tabs.indexOf(next)]?.focus();
            }}
            className={`-mb-px border-b-2 px-3 py-2 font-medium whitespace-nowrap ${tab.key === current ? "border-accent text-ink" : "border-transparent text-ink-2 hover:text-ink"}`}
          >
            {tab.title}
            {tab.count !== undefined && (
              <>
                {" "}
                <span className="num ml-0.5 text-xs text-ink-3">{tab.count}</span>
              </>
            )}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
    </>
  );
}
