import type { Monitor } from "@/api/types";
import { planned } from "@/lib/time";
import { KINDS, pingWords } from "./words";

/** The newest pings, the oldest first: failures are taller, so that colour is not all there is. */
export function PingStrip({ monitor }: { monitor: Monitor }) {
  const { recent, name } = monitor;
  if (recent.length === 0) return <span className="text-ink-3">No pings yet</span>;
  const failed = recent.filter((each) => each.kind === "fail").length;
  return (
    <div
      role="img"
      aria-label={`Pings of ${name}: ${failed} of the last ${recent.length} told of a failure`}
      className="flex h-5 items-end gap-px"
    >
      {recent.map((each, index) => (
        <span
          key={index}
          title={`${pingWords(each)}\n${planned(each.at)}`}
          className={`w-1 rounded-[1px] ${KINDS[each.kind].fill} ${each.kind === "fail" ? "h-full" : "h-3/5"}`}
        />
      ))}
    </div>
  );
}
