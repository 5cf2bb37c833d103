import { expect, test } from "vitest";
import type { Monitor } from "@/api/types";
import { linesFor, pingWords } from "./words";

test("a ping is told with its exit status, if it has one", () => {
  expect(pingWords({ kind: "fail", exitStatus: 3 })).toBe("Failure, exit status 3");
  expect(pingWords({ kind: "success", exitStatus: 0 })).toBe("Success, exit status 0");
  expect(pingWords({ kind: "start", exitStatus: null })).toBe("Start");
});

test("the line for a crontab has the times of the monitor and tells how the job ended", () => {
  const monitor = { path: "/ping/id", slugPath: "/ping/key/backup", cron: "5 4 * * sun" };
  const lines = new Map(linesFor(monitor as Monitor, "https://rota.example"));

  expect(lines.get("By name")).toBe("https://rota.example/ping/key/backup");
  expect(lines.get("In a crontab")).toMatch(
    /^5 4 \* \* sun {2}\/path\/to\/job; curl .*\/ping\/id\/\$\?$/,
  );
});
