import { CopyButton } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";

/** A new token's secret, which nobody can show a second time. */
export function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog kept open title="Copy the token now" onClose={onClose}>
      <p className="mb-3">It is shown this once; the server keeps only its digest.</p>
      <p className="flex items-center gap-2 rounded-md bg-sunken p-3 font-mono text-xs break-all">
        <span className="flex-1">{secret}</span>
        <CopyButton text={secret} label="Copy the token" />
      </p>
    </Dialog>
  );
}
