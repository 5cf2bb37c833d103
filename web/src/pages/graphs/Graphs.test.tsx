import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import type { GraphSummary, LastRun } from "@/api/types";
import { Last } from "./Graphs";

const ENDED = [{ state: "failed" } as LastRun];

it.each([
  [1, 0, [], "Running"],
  [1, 1, ENDED, "Running"],
  [0, 1, [], "Paused"],
  [0, 0, ENDED, "Failed"],
  [0, 0, [], "Never ran"],
])(
  "with %d runs that go on and %d paused ones, after %o: %s",
  (running, pausedRuns, last, said) => {
    const graph = { running, pausedRuns, last } as unknown as GraphSummary;
    const { container } = render(<Last graph={graph} />);
    expect(container.textContent).toBe(said);
  },
);
