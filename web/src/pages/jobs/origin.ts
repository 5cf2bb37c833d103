const ORIGINS: Record<string, string> = { code: "in code", api: "here or by API" };

/** Where something is defined, and so where it can be changed: "in code", "in jobs.yaml". */
export function originOf(origin: string): string {
  return ORIGINS[origin] ?? `in ${origin.replace(/^file:/, "")}`;
}
