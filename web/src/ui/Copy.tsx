import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./Button";
import { toast } from "./Toasts";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await copyText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <IconButton
      label={done ? "Copied" : label}
      onClick={() => void copy().catch(() => toast.failed(new Error(REFUSED)))}
    >
      {done ? <Check className="size-3.5 text-ok" /> : <Copy className="size-3.5" />}
    </IconButton>
  );
}

const REFUSED = "The browser did not let us copy it; select the text and copy it by hand.";

/** Browsers have a clipboard for pages over HTTPS and on this machine; elsewhere there is the old way. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("aria-hidden", "true");
  field.className = "fixed opacity-0";
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (!isDone) throw new Error(REFUSED);
}
