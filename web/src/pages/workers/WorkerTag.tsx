import type { Worker } from "@/api/types";
import { Tag } from "@/ui/State";

export function WorkerTag({ worker }: { worker: Worker }) {
  if (!worker.alive) return <Tag mood="bad">Silent</Tag>;
  return worker.draining ? <Tag mood="warn">Draining</Tag> : <Tag mood="ok">Alive</Tag>;
}
