import { useState } from "react";
import { etagOf } from "@/api/client";

/**
 * A thing as it was when its form was opened, and its version then.
 *
 * The page behind goes on and reads it anew. If a form took the new version with the old fields,
 * saving would undo what somebody else has changed meanwhile, and nobody would be told.
 */
export function useOpened<T>(item: T): readonly [T, string | null] {
  const [opened] = useState(() => [item, etagOf(item)] as const);
  return opened;
}
