import { afterEach, expect, it } from "vitest";
import { noteServerTime, serverNow } from "./clock";

afterEach(() => noteServerTime(new Date().toUTCString()));

it("follows the server where a browser's clock is minutes off", () => {
  noteServerTime(new Date(Date.now() - 600_000).toUTCString());
  expect(Math.abs(serverNow() - (Date.now() - 600_000))).toBeLessThan(2_000);
});

it("does not tremble with every answer", () => {
  noteServerTime(new Date(Date.now() - 600_000).toUTCString());
  const before = Date.now() - serverNow();
  noteServerTime(new Date(Date.now() - 602_000).toUTCString());
  expect(Math.abs(Date.now() - serverNow() - before)).toBeLessThan(50);
});

it("learns nothing from an answer that was on its way while the computer slept", () => {
  const slept = Date.now() - 3_600_000;
  noteServerTime(new Date(slept).toUTCString(), slept);
  expect(Math.abs(serverNow() - Date.now())).toBeLessThan(50);
});

it("takes no notice of the seconds of an answer, nor of none", () => {
  noteServerTime(new Date(Date.now() - 2_000).toUTCString());
  noteServerTime(null);
  noteServerTime("yesterday");
  expect(Math.abs(serverNow() - Date.now())).toBeLessThan(50);
});
