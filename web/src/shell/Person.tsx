import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { LogOut, Moon, Sun } from "lucide-react";
import { signInAddress } from "@/api/client";
import { session } from "@/api/queries";
import { whoOf } from "@/lib/acts";
import { chooseTheme } from "@/lib/theme";
import { IconButton } from "@/ui/Button";
import { toast } from "@/ui/Toasts";
import { LiveDot } from "./LiveDot";
import { signOut } from "./signOut";

/** Who looks, into which namespace, and the way out. */
export function Person() {
  const { data } = useQuery(session);
  const here = useRouterState({ select: (state) => state.location.href });
  // The files of the page are for those who are signed in; the server has its own page for this.
  const leave = () => location.assign("/login");
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
          <IconButton label="Sign out" onClick={() => void signOut(leave, toast.failed)}>
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
