import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Inbox } from "lucide-react";
import { afterEach, expect, it, vi } from "vitest";
import { ask, etagOf } from "@/api/client";
import { Kept } from "./Kept";

afterEach(() => vi.unstubAllGlobals());

it("a form is opened with the thing as it is now and with its version, not as a list told it", async () => {
  vi.stubGlobal("fetch", (url: string) =>
    Promise.resolve(
      url.endsWith("/calendars/acme")
        ? Response.json({ name: "acme", version: 2, verbs: [] }, { headers: { ETag: '"two"' } })
        : new Response("", { status: 404 }),
    ),
  );
  const opened = vi.fn();
  const listed = { name: "acme", version: 1, verbs: ["edit"] };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Kept<{ name: string; version: number; verbs: string[] }>
        query={{
          data: { items: [listed], next: null },
          error: null,
          refetch: () => undefined,
        }}
        subject="calendar"
        create="create-calendar"
        title="New calendar"
        icon={Inbox}
        empty=""
        about=""
        read={(name) => ask("showCalendar", { path: [name] })}
        describe={() => null}
        form={(item) => {
          opened(item?.version, etagOf(item));
          return null;
        }}
      />
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: /Edit/ }));
  await waitFor(() => expect(opened).toHaveBeenLastCalledWith(2, '"two"'));
});
