import { expect, it } from "vitest";
import { zoneText } from "./Settings";

it("tells of UTC once", () => {
  expect(zoneText("UTC")).toBe("Times are shown in UTC.");
  expect(zoneText("Europe/Paris")).toBe(
    "Times are shown in Europe/Paris; hover over one to see it in UTC.",
  );
});
