import { ApiError, ask } from "@/api/client";

const ENDED = 401;

/** Whose session has ended already is out; everybody else must know if theirs goes on. */
export async function signOut(leave: () => void, tell: (error: unknown) => void): Promise<void> {
  try {
    await ask("endSession");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== ENDED) return tell(error);
  }
  leave();
}
