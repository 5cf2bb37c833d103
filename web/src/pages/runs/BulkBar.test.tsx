import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Run } from "@/api/types";
import { BulkBar } from "./BulkBar";

afterEach(() => vi.unstubAllGlobals());

const run = (executionId: string) => ({ executionId, jobId: "charge", verbs: ["cancel"] }) as Run;

function bar(rows: Run[]) {
  return (
    <QueryClientProvider client={new QueryClient()}>
      <BulkBar
        rows={rows}
        selected={new Set(["a", "b"])}
        filter={{}}
        isFiltered={false}
        hasMore={false}
        clear={() => undefined}
      />
    </QueryClientProvider>
  );
}

it("what a person is asked stays as it was, when the runs leave the list meanwhile", async () => {
  const counted = { matched: 2, more: false };
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(counted)));
  const { rerender } = render(bar([run("a"), run("b"), run("c")]));
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await screen.findByRole("dialog", { name: "Cancel 2 runs?" });
  rerender(bar([run("c")]));

  expect(screen.getByRole("dialog").textContent).toContain("All of job charge");
  expect(screen.getByRole("button", { name: "Cancel 2 runs" })).toBeTruthy();
  expect(screen.queryByText("2 runs selected")).toBeNull();
});
