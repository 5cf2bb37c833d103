import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { workers } from "@/api/queries";
import { shortId } from "@/lib/format";

/** A worker by its name; one that is gone by its id. */
export function useWorkerName(id: string): string {
  const { data } = useQuery(workers());
  return data?.items.find((each) => each.id === id)?.name ?? shortId(id);
}

export function WorkerName({ id }: { id: string }) {
  const name = useWorkerName(id);
  return <span title={`Worker ${name}, ${id}`}>{name}</span>;
}

/** It opens the worker, if it is still there. */
export function WorkerLink({ id }: { id: string }) {
  return (
    <Link to="/workers" search={{ id } as never} className="link" title={id}>
      {useWorkerName(id)}
    </Link>
  );
}
