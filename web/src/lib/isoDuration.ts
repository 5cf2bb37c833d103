/** Lengths of time as people write them, 1h 30m, and as JSON has them, PT1H30M. */

const PART = /(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)/gi;
const ISO = /^P(?!$)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(?:\.\d+)?S)?)?$/;

/** None for what is no length of time. */
export function isoDuration(typed: string): string | null {
  const text = typed.trim();
  if (ISO.test(text.toUpperCase())) return text.toUpperCase();
  if (text.replace(PART, "").trim() !== "" || text === "") return null;
  const parts = [...text.matchAll(PART)].map(([, number = "", unit = ""]) =>
    unit.toLowerCase() === "ms"
      ? ([String(Number(number) / 1000), "s"] as const)
      : ([number, unit.toLowerCase()] as const),
  );
  const of = (unit: string) =>
    parts
      .filter(([, each]) => each === unit)
      .map(([number]) => number + unit.toUpperCase())
      .join("");
  const time = of("h") + of("m") + of("s");
  return `P${of("d")}${time && `T${time}`}`;
}

export function plainDuration(iso: string): string {
  if (!ISO.test(iso)) return iso;
  return [...iso.matchAll(/[\d.]+[DHMS]/g)].map(([part]) => part.toLowerCase()).join(" ");
}
