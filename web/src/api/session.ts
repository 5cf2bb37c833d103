/**
 * Whose page this is, for as long as it is open.
 *
 * Tabs share one cookie. Who signs in anew goes on here, if it is the same person; for another one
 * the page begins anew, since all that it shows is not theirs.
 */
import { hashKey, type QueryClient } from "@tanstack/react-query";
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
  let owner: Session | undefined;
  let checking: Promise<boolean> | null = null;
  // The first one that was told is whose page this is. Of another one nothing is taken, not even
  // its token: what is sent on the way out would be done in that other session.
  const isOwn = (told: Session): boolean => {
    owner ??= told;
    if (!isSame(owner, told)) return false;
    rememberCsrf(told.csrfToken);
    return true;
  };
  const take = (told: Session | undefined) => {
    if (told && !isOwn(told)) ways.reload();
  };
  const check = async (): Promise<boolean> => {
    try {
      return isOwn(await cache.fetchQuery({ ...session, staleTime: 0 }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) return true;
      if (ways.isBusy()) ways.tell(new ApiError(SIGNED_OUT));
      else ways.signIn(signInAddress(location.pathname + location.search));
      return false;
    }
  };
  take(cache.getQueryData(session.queryKey));
  const place = hashKey(session.queryKey);
  cache.getQueryCache().subscribe((event) => {
    const isTold = event.type === "updated" && event.action.type === "success";
    if (isTold && event.query.queryHash === place) take(event.query.state.data as Session);
  });
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
