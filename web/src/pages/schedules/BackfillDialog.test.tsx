import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Schedule } from "@/api/types";
import { BackfillDialog } from "./BackfillDialog";

afterEach(() => vi.unstubAllGlobals());

const PLAN = {
  planned: [{ at: "2026-01-10T03:00:00.000Z", starts: true, state: null }],
  instants: 1,
};

it("does not show what was found for a range that was changed meanwhile", async () => {
  let answer: (found: Response) => void = () => undefined;
  vi.stubGlobal("fetch", () => new Promise<Response>((resolve) => (answer = resolve)));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <BackfillDialog schedule={{ name: "daily" } as Schedule} onClose={() => undefined} />
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Show what would run" }));
  fireEvent.change(screen.getByLabelText("From"), { target: { value: "2020-01-01T00:00" } });
  await act(async () => answer(new Response(JSON.stringify(PLAN))));

  expect(screen.queryByText("1 run would start")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Show what would run" }));
  await act(async () => answer(new Response(JSON.stringify(PLAN))));
  expect(screen.getByRole("button", { name: "Start 1 run" })).toBeTruthy();
});
