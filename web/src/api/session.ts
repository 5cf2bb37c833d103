/**
 * Whose page this is, for as long as it is open.
 *
 * Tabs share one cookie. Who signs in anew goes on here, if it is the same person; for another one
 * the page begins anew, since all that it shows is not theirs.
 */
import type { QueryClient } from "@tanstack/react-query";
import { ApiError, onRefusal, rememberCsrf, SIGNED_OUT, signInAddress } from "./client";
import { session } from "./queries";
import type { Session } from "./types";

interface Ways {
  /** Load the page again. */
  reload: () => void;
  signIn: (address: string) => void;
  /** Somebody writes something that would be lost. */
  isBusy: () => boolean;
  tell: (problem: ApiError) => void;
}

export function watchSession(cache: QueryClient, ways: Ways): void {
  let checking: Promise<boolean> | null = null;
  const check = async (): Promise<boolean> => {
    const before = cache.getQueryData(session.queryKey);
    try {
      const now = await cache.fetchQuery({ ...session, staleTime: 0 });
      if (before && !isSame(before, now)) ways.reload();
      rememberCsrf(now.csrfToken);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) return true;
      if (ways.isBusy()) ways.tell(new ApiError(SIGNED_OUT));
      else ways.signIn(signInAddress(location.pathname + location.search));
      return false;
    }
  };
  onRefusal(() => {
    checking ??= check().finally(() => {
      checking = null;
    });
    return checking;
  });
}

function isSame(before: Session, now: Session): boolean {
  return before.who === now.who && before.namespace === now.namespace;
}
