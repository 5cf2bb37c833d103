import type { Token } from "@/api/types";
import { DAY } from "@/lib/time";
import { Tag } from "@/ui/State";
import { useNow } from "@/ui/Time";

const SOON_MS = 7 * DAY;

export type TokenState = "good" | "soon" | "expired" | "revoked";

export function stateOf({ revokedAt, expiresAt }: TokenTimes, now: number): TokenState {
  if (revokedAt) return "revoked";
  const left = expiresAt ? new Date(expiresAt).getTime() - now : Number.POSITIVE_INFINITY;
  if (left <= 0) return "expired";
  return left < SOON_MS ? "soon" : "good";
}

type TokenTimes = Pick<Token, "revokedAt" | "expiresAt">;

export function TokenTag({ token }: { token: Token }) {
  const state = stateOf(token, useNow());
  if (state === "revoked") return <Tag mood="bad">Revoked</Tag>;
  if (state === "expired") return <Tag mood="idle">Expired</Tag>;
  return state === "soon" ? <Tag mood="warn">Expires soon</Tag> : <Tag mood="ok">Good</Tag>;
}
