import { useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { signIn } from "@/api/client";
import { session } from "@/api/queries";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Dialog";
import { ErrorPanel } from "@/ui/Panels";

/** Changes a token, or the ticket of a link, for the cookie of a session. */
export function Login() {
  const cache = useQueryClient();
  const router = useRouter();
  const { next, ticket } = useSearch({ strict: false }) as { next?: string; ticket?: string };
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    setBusy(true);
    setError(null);
    try {
      await signIn(ticket ? { ticket } : { token });
      cache.clear();
      await cache.fetchQuery(session);
      const isOurs = next?.startsWith("/") && !next.startsWith("//");
      router.history.push(isOurs ? (next as string) : "/");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form onSubmit={onSubmit} className="card w-full max-w-sm space-y-4 p-6">
        <div>
          <img src="/rota.svg" alt="" className="mb-4 size-9" />
          <h1 className="text-xl font-semibold tracking-tight">Sign in to Rota</h1>
          <p className="mt-1 text-ink-2">
            {ticket ? "This link signs you in, once." : "With a token of your namespace."}
          </p>
        </div>
        {!ticket && (
          <Field
            label="Token"
            hint={
              <>
                <code className="font-mono">rota tokens create</code> on the server makes one.
              </>
            }
          >
            {(id) => (
              <input
                id={id}
                name="token"
                type="password"
                required
                autoFocus
                autoComplete="current-password"
                spellCheck={false}
                className="field w-full font-mono"
              />
            )}
          </Field>
        )}
        {error !== null && <ErrorPanel error={error} />}
        <Button type="submit" tone="primary" busy={busy} className="w-full">
          Sign in
        </Button>
      </form>
    </main>
  );
}
