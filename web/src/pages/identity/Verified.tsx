import { queryOptions } from "@tanstack/react-query";
import { type Answer, ask } from "@/api/client";
import { plural } from "@/lib/format";
import { Tag } from "@/ui/State";

/** Asked for by a button: it reads all acts. */
export const verification = queryOptions({
  queryKey: ["audit-verify"],
  queryFn: ({ signal }) => ask("verifyChain", { signal }),
  enabled: false,
});

interface VerifiedProps {
  data: Answer<"verifyChain"> | undefined;
  error: Error | null;
}

/** In place of what the page is about, so that nothing moves. */
export function Verified({ data, error }: VerifiedProps) {
  if (error) return <Tag mood="bad">{error.message}</Tag>;
  if (!data) return null;
  const told = `${plural(data.acts, "act")} checked, none altered`;
  return <Tag mood={data.isGood ? "ok" : "bad"}>{data.says || told}</Tag>;
}
