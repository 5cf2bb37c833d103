import { expect, it } from "vitest";
import { namesOf } from "@/lib/words";
import { stateOf } from "./TokenTag";

const NOW = Date.parse("2026-11-16T12:00:00Z");

it.each([
  [null, null, "good"],
  [null, "2026-12-16T12:00:00Z", "good"],
  [null, "2026-11-20T12:00:00Z", "soon"],
  [null, "2026-11-16T12:00:00Z", "expired"],
  ["2026-11-01T00:00:00Z", "2026-12-16T12:00:00Z", "revoked"],
])("revoked at %s, expires at %s: %s", (revokedAt, expiresAt, state) => {
  expect(stateOf({ revokedAt, expiresAt }, NOW)).toBe(state);
});

it("reads names between commas", () => {
  expect(namesOf(" mail, ,images,")).toEqual(["mail", "images"]);
});
