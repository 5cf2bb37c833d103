import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { why } from "@/api/queries";
import type { Reason, Run } from "@/api/types";
import { Now } from "./Now";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/">{children}</a>,
}));

type Told = Pick<Reason, "kind" | "says">;

const NODES: Told = { kind: "blocked", says: "1 of 3 nodes have ended, 1 go on: load" };
const NO_WORKER: Told = { kind: "no_worker", says: "node load: no worker is alive" };
const PAUSED: Told = { kind: "paused", says: "ann has paused run 1; resume it" };

function show(run: Partial<Run>, ...reasons: Told[]): string {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const items = reasons.map((each) => ({ count: null, until: null, ...each }));
  cache.setQueryData(why("1").queryKey, { items, next: null });
  const { container } = render(
    <QueryClientProvider client={cache}>
      <Now run={{ executionId: "1", finishedAt: null, queue: "default", ...run } as Run} />
    </QueryClientProvider>,
  );
  return container.textContent ?? "";
}

it("a graph that advances is not asked why it does not run", () => {
  expect(show({ state: "suspended", paused: false }, NODES)).toBe("");
});

it("a graph whose nodes meet an obstacle tells that and nothing else", () => {
  const text = show({ state: "suspended", paused: false }, NO_WORKER, NODES);
  expect(text).toContain("What is it waiting for?Node load: no worker is alive");
  expect(text).not.toContain("nodes have ended");
});

it("a paused graph and a queued run tell why they do not run", () => {
  show({ state: "suspended", paused: true }, PAUSED, NODES);
  show({ state: "queued", paused: false }, { kind: "busy", says: "all 2 slots are busy" });
  expect(screen.getAllByText("Why is it not running?")).toHaveLength(2);
  expect(screen.getByText(/Ann has paused run 1/)).toBeTruthy();
});
