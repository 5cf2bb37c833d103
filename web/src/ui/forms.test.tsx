/** What happens to a person's input when answers are late, refused or overtaken. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/api/client";
import type { Schema, Values } from "@/lib/schema";
import { useOpened } from "@/lib/useOpened";
import { Actions } from "./Actions";
import { FormDialog } from "./Dialog";
import { Load } from "./Panels";
import { SchemaForm } from "./SchemaForm";
import { Toasts } from "./Toasts";

afterEach(() => vi.unstubAllGlobals());

const problem = (status: number, detail: string) =>
  new ApiError({ title: "", status, code: "x", detail, remedy: "" });

function Reopened({ onSubmit }: { onSubmit: () => Promise<void> }) {
  const [open, setOpen] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <FormDialog
        title="Ask"
        submit="Send"
        open={open}
        onClose={() => setOpen(false)}
        onSubmit={onSubmit}
      />
      <Toasts />
    </>
  );
}

function Form({ item, seen }: { item: { version: number }; seen: (version: number) => void }) {
  const [opened] = useOpened(item);
  seen(opened.version);
  return null;
}

const SCHEMA: Schema = {
  properties: {
    first: { type: "object" },
    second: { type: "object" },
    id: { type: "integer" },
    share: { type: "number" },
  },
};

function Asked({ told }: { told: (values: Values, problem: string | null) => void }) {
  const [values, setValues] = useState<Values>({});
  return (
    <SchemaForm
      schema={SCHEMA}
      values={values}
      onChange={(next, wrong) => {
        setValues(next);
        told(next, wrong);
      }}
    />
  );
}

describe("a dialog", () => {
  it("that was closed before the answer came tells a failure, and not in the next one", async () => {
    let fail: (reason: Error) => void = () => undefined;
    const onSubmit = () =>
      new Promise<void>((_, reject) => {
        fail = reject;
      });
    render(<Reopened onSubmit={onSubmit} />);
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    await userEvent.click(screen.getByText("Open"));
    await act(async () => fail(problem(409, "It has ended.")));

    expect(screen.getByText("It has ended.")).toBeTruthy();
    const form = screen.getByRole("dialog").querySelector("form");
    expect(form?.textContent).not.toContain("It has ended.");
    expect((screen.getByRole("button", { name: "Send" }) as HTMLButtonElement).disabled).toBe(
      false,
    );
  });

  it("is not closed by the success of the one before it", async () => {
    let succeed: () => void = () => undefined;
    const onSubmit = () =>
      new Promise<void>((resolve) => {
        succeed = resolve;
      });
    render(<Reopened onSubmit={onSubmit} />);
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    await userEvent.click(screen.getByText("Open"));
    await act(async () => succeed());
    expect(screen.getByRole("dialog")).toBeTruthy();
  });

  it("with a form is not closed by a click beside it", async () => {
    render(<Reopened onSubmit={async () => undefined} />);
    await userEvent.click(screen.getByRole("dialog"));
    expect(screen.getByRole("dialog")).toBeTruthy();
  });
});

it("a form keeps what it was opened with, whatever the page behind it learns", () => {
  const seen = vi.fn();
  const { rerender } = render(<Form seen={seen} item={{ version: 3 }} />);
  rerender(<Form seen={seen} item={{ version: 4 }} />);
  expect(seen.mock.calls.flat()).toEqual([3, 3]);
});

it("a button that needs no confirmation is pressed once, however fast", async () => {
  const asked = vi.fn(() => new Promise<Response>(() => undefined));
  vi.stubGlobal("fetch", asked);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Actions subject="schedule" item={{ verbs: ["trigger"] }} id="daily" name="daily" />
    </QueryClientProvider>,
  );
  await userEvent.dblClick(screen.getByRole("button", { name: "Trigger now" }));
  expect(asked).toHaveBeenCalledOnce();
});

describe("what was read before", () => {
  const shown = (error: unknown) =>
    render(
      <Load query={{ data: "the job", error, refetch: () => undefined }}>{(data) => data}</Load>,
    ).container.textContent;

  it("stays while the server is away", () => {
    expect(shown(problem(0, "No answer."))).toBe("the job");
    expect(shown(problem(503, "Away."))).toBe("the job");
  });

  it("does not outlive its removal", () => {
    expect(shown(problem(404, "There is no job a."))).toContain("There is no job a.");
  });
});

describe("a form of arguments", () => {
  it("does not forget what is wrong in one field while another one is filled in", async () => {
    const told = vi.fn();
    render(<Asked told={told} />);
    await userEvent.type(screen.getByLabelText("first"), "{{broken");
    await userEvent.type(screen.getByLabelText("second"), "{{}");
    expect(told.mock.lastCall?.[1]).toContain("first");
    await userEvent.clear(screen.getByLabelText("first"));
    expect(told.mock.lastCall?.[1]).toBeNull();
  });

  it("keeps what could be read while its JSON is not right, and shows it as a form again", async () => {
    const told = vi.fn();
    render(<Asked told={told} />);
    await userEvent.type(screen.getByLabelText("id"), "7");
    await userEvent.click(screen.getByRole("button", { name: "Edit as JSON" }));
    await userEvent.type(screen.getByLabelText("Arguments"), ",");
    expect(told.mock.lastCall).toEqual([{ id: 7 }, expect.any(String)]);
    await userEvent.click(screen.getByRole("button", { name: "Edit as a form" }));
    expect(told.mock.lastCall).toEqual([{ id: 7 }, null]);
    expect((screen.getByLabelText("id") as HTMLInputElement).value).toBe("7");
  });

  it("takes a number with zeros behind its point, which are nothing until more is typed", async () => {
    const told = vi.fn();
    render(<Asked told={told} />);
    const field = screen.getByLabelText("share") as HTMLInputElement;
    await userEvent.type(field, "0.05");
    expect(field.value).toBe("0.05");
    expect(told.mock.lastCall?.[0]).toEqual({ share: 0.05 });
    await userEvent.clear(field);
    expect(told.mock.lastCall?.[0]).toEqual({});
  });

  it("takes long numbers as they are typed", async () => {
    const told = vi.fn();
    render(<Asked told={told} />);
    await userEvent.type(screen.getByLabelText("id"), "12345678901234567890");
    await waitFor(() => expect(told.mock.lastCall?.[0]).toEqual({ id: 12345678901234567890n }));
  });
});
