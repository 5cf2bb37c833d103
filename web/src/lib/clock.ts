/** The server's clock as far as its answers tell: that of a browser may be minutes off. */

/** An answer tells whole seconds and takes its time; less than this is no difference. */
const TOLERANCE_MS = 5_000;
let offset = 0;

export function serverNow(): number {
  return Date.now() + offset;
}

/** With the Date of each answer; one that took long, or was slept through, tells a time long past. */
export function noteServerTime(date: string | null, askedAt = Date.now()): void {
  const now = Date.now();
  const told = Date.parse(date ?? "");
  if (Number.isNaN(told) || Math.abs(now - askedAt) > TOLERANCE_MS) return;
  const distance = told - now;
  if (Math.abs(distance - offset) < TOLERANCE_MS) return;
  offset = Math.abs(distance) < TOLERANCE_MS ? 0 : distance;
}
