/**
 * Part of a page that cannot be had now: while the server or its database is away it comes when they
 * are back. A new version of the server has other file names: then the page is loaded anew.
 */
export function patiently<T>(
  load: () => Promise<T>,
  isReady: () => Promise<boolean> = askServer,
  pauseMs = 2_000,
): () => Promise<T> {
  return async () => {
    try {
      return await load();
    } catch {
      while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      return load().catch((error) => {
        location.reload();
        throw error;
      });
    }
  };
}

async function askServer(): Promise<boolean> {
  const answer = await fetch("/readyz", { cache: "no-store" }).catch(() => null);
  return answer?.ok ?? false;
}
