import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo } from "react";
import { runBefore, runsSince } from "@/api/queries";
import type { Run } from "@/api/types";
import { useKeys } from "@/lib/keys";
import { IconButton } from "@/ui/Button";

/** The way to the run of the same job before this one, and to the one after it. */
export function Neighbours({ run }: { run: Run }) {
  const navigate = useNavigate();
  const before = useQuery(runBefore(run)).data?.items[0];
  const since = useQuery(runsSince(run)).data;
  const after = since && nextOf(run.executionId, since.items, since.next !== null);
  const keys = useMemo(() => {
    const open = (id: string | undefined) => () =>
      void (id && navigate({ to: "/runs/$id", params: { id }, search: keepTab as never }));
    return { "[": open(before?.executionId), "]": open(after) };
  }, [navigate, before?.executionId, after]);
  useKeys(keys);
  const step = run.parentId ? "step of this job" : "run of this job";
  return (
    <span className="flex">
      <IconButton label={`Previous ${step} ([)`} disabled={!before} onClick={keys["["]}>
        <ChevronLeft className="size-4" />
      </IconButton>
      <IconButton label={`Next ${step} (])`} disabled={!after} onClick={keys["]"]}>
        <ChevronRight className="size-4" />
      </IconButton>
    </span>
  );
}

/** Who compares logs stays at the log; a node of one graph is not one of another run. */
const keepTab = ({ tab }: { tab?: string }) => (tab ? { tab } : {});

/** Ids grow with time: the least of those that are greater, if none can be missing. */
export function nextOf(id: string, newer: Run[], isCut: boolean): string | undefined {
  if (isCut) return undefined;
  return newer
    .map((each) => each.executionId)
    .filter((each) => each > id)
    .sort()[0];
}
