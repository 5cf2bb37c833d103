import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { ACTIONS, offered } from "@/api/actions";
import { ApiError } from "@/api/client";
import type { LogLine } from "@/api/types";
import { filterLines } from "@/lib/log";
import { defaultsOf, kindOf, withValue } from "@/lib/schema";
import { Actions } from "./Actions";
import { FormDialog } from "./Dialog";
import { JsonView } from "./Json";
import { LogView } from "./LogView";
import { ErrorPanel } from "./Panels";
import { SchemaForm } from "./SchemaForm";
import { STATES, StateBadge, stateOf } from "./State";
import { Time } from "./Time";

const line = (seq: number, text: string, level: LogLine["level"] = "info"): LogLine => ({
  seq,
  claim: 1,
  at: "2026-11-15T20:00:00Z",
  attempt: 1,
  stream: "stdout",
  level,
  text,
});

describe("a badge", () => {
  it.each(STATES)("says %s in a word, with an icon that readers skip", (state) => {
    const { container } = render(<StateBadge state={state} />);
    const word = state === "suspended" ? "running" : state;
    expect(screen.getByText(new RegExp(`^${word}$`, "i"))).toBeTruthy();
    expect(container.querySelector("svg")?.getAttribute("aria-hidden")).toBe("true");
  });

  it.each([
    ["suspended", false, "Running"],
    ["suspended", true, "Paused"],
    ["running", false, "Running"],
    ["success", false, "Success"],
  ] as const)("calls a run that is %s, paused %s: %s", (state, paused, word) => {
    render(<StateBadge state={stateOf({ state, paused })} />);
    expect(screen.getByText(word)).toBeTruthy();
  });

  it("shows a state of a newer server as it is", () => {
    render(<StateBadge state="hibernating" />);
    expect(screen.getByText("hibernating")).toBeTruthy();
  });
});

const nothing = async () => undefined;

describe("the log", () => {
  // happy-dom has no layout; the list needs a height to show lines.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(800);

  it("keeps hostile text inert", async () => {
    const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\u001b[31m<b>red</b>";
    const { container } = render(
      <LogView lines={[line(1, hostile)]} live={false} onDownload={async () => undefined} />,
    );
    await waitFor(() => expect(container.textContent).toContain("<img src=x onerror=alert(1)>"));
    expect(container.querySelector("img, script, b")).toBeNull();
    expect(container.querySelector(".ansi-1")?.textContent).toBe("<b>red</b>");
  });

  it("marks what was searched for and hides the rest", async () => {
    const lines = [line(1, "first page"), line(2, "second page"), line(3, "the end")];
    const { container } = render(
      <LogView lines={lines} live={false} onDownload={async () => undefined} />,
    );
    await userEvent.type(screen.getByRole("searchbox"), "PAGE");
    await waitFor(() => expect(container.querySelectorAll("mark")).toHaveLength(2));
    expect(container.textContent).toContain("2 of 3");
    await waitFor(() => expect(screen.getByRole("status").textContent).toBe("2 lines found"));
    expect(container.textContent).not.toContain("the end");
  });

  it("marks signs as they are, also behind letters that become two when they are small", async () => {
    const { container } = render(
      <LogView lines={[line(1, "İİİ took (2) s")]} live={false} onDownload={nothing} />,
    );
    await userEvent.type(screen.getByRole("searchbox"), "(2)");
    await waitFor(() => expect(container.querySelector("mark")?.textContent).toBe("(2)"));
  });

  it("is silent for those who listen while lines come", async () => {
    const { rerender } = render(<LogView lines={[line(1, "one")]} live onDownload={nothing} />);
    const status = screen.getByRole("status");
    rerender(<LogView lines={[line(1, "one"), line(2, "two")]} live onDownload={nothing} />);
    expect(screen.getByText(/^2 lines/)).toBeTruthy();
    expect(status.textContent).toBe("");
    await userEvent.type(screen.getByRole("searchbox"), "two");
    await waitFor(() => expect(status.textContent).toBe("1 line found"));
    const more = [line(1, "one"), line(2, "two"), line(3, "two")];
    rerender(<LogView lines={more} live onDownload={nothing} />);
    expect(screen.getByText(/2 of 3 lines/)).toBeTruthy();
    expect(status.textContent).toBe("1 line found");
  });

  it("tells what is looked for when a person stops typing, and begins with what it was told", async () => {
    const told = vi.fn();
    render(
      <LogView
        lines={[line(1, "first page"), line(2, "the end")]}
        live={false}
        onDownload={async () => undefined}
        wanted={{ text: "pag", level: "" }}
        onWanted={told}
      />,
    );
    expect(screen.getByText("1 of 2 lines")).toBeTruthy();
    await userEvent.type(screen.getByRole("searchbox"), "e");
    await waitFor(() => expect(told).toHaveBeenCalledWith({ text: "page", level: "" }));
    expect(told).toHaveBeenCalledTimes(1);
  });

  it("says that nothing was printed only when all was read", () => {
    const { rerender } = render(
      <LogView lines={[]} live={false} reading onDownload={async () => undefined} />,
    );
    expect(screen.queryByText("This run printed nothing.")).toBeNull();
    rerender(<LogView lines={[]} live={false} onDownload={async () => undefined} />);
    expect(screen.getByText("This run printed nothing.")).toBeTruthy();
  });

  it("of a run that goes on is not called empty before it was read", () => {
    const { rerender } = render(
      <LogView lines={[]} live reading onDownload={async () => undefined} />,
    );
    expect(screen.getByText("Reading the log …")).toBeTruthy();
    rerender(<LogView lines={[]} live onDownload={async () => undefined} />);
    expect(screen.getByText(/Nothing printed yet/)).toBeTruthy();
  });

  it("is searched without its colours, and by level", () => {
    const lines = [line(1, "\u001b[31mconn\u001b[0mection", "error"), line(2, "fine", "debug")];
    expect(filterLines(lines, "connection", "")).toHaveLength(1);
    expect(filterLines(lines, "", "warning").map((each) => each.seq)).toEqual([1]);
  });
});

describe("actions", () => {
  const wrap = (verbs: string[]) =>
    render(
      <QueryClientProvider client={new QueryClient()}>
        <Actions subject="run" item={{ verbs }} id="1" name="etl" />
      </QueryClientProvider>,
    );

  it("are those that the API allows, and no others", () => {
    wrap(["cancel"]);
    expect(screen.getAllByRole("button").map((each) => each.textContent)).toEqual(["Cancel"]);
  });

  it("are none for who may nothing", () => {
    const { container } = wrap([]);
    expect(container.innerHTML).toBe("");
    expect(offered("queue", {})).toEqual([]);
  });

  it("that destroy something ask first", () => {
    const dangerous = Object.values(ACTIONS)
      .flat()
      .filter((action) => action.danger);
    expect(dangerous.length).toBeGreaterThan(3);
    for (const action of dangerous) expect(action.confirm?.("x")).toBeTruthy();
  });
});

describe("a dialog", () => {
  it("stays open and says why when the server refuses", async () => {
    const problem = {
      title: "No",
      status: 409,
      code: "not-allowed",
      detail: "It has ended.",
      remedy: "Look first.",
    };
    const close = vi.fn();
    render(
      <FormDialog
        open
        title="Cancel 3 runs?"
        submit="Cancel 3 runs"
        onClose={close}
        onSubmit={() => Promise.reject(new ApiError(problem))}
      />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Cancel 3 runs" }));
    expect(await screen.findByText("It has ended.")).toBeTruthy();
    expect(close).not.toHaveBeenCalled();
  });

  it("closes when it is done, but not before a second step", async () => {
    const close = vi.fn();
    const steps = ["stay", "done"];
    render(
      <FormDialog
        open
        title="Go?"
        submit="Go"
        onClose={close}
        onSubmit={() => Promise.resolve(steps.shift())}
      />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Go" }));
    expect(close).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole("button", { name: "Go" }));
    expect(close).toHaveBeenCalledOnce();
  });
});

describe("small things", () => {
  it("says that what should have happened is overdue", () => {
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    const { rerender, container } = render(<Time at={ago(600_000)} planned due />);
    expect(container.textContent).toContain("overdue");
    rerender(<Time at={ago(600_000)} planned />);
    expect(container.textContent).not.toContain("overdue");
    rerender(<Time at={ago(-600_000)} planned due />);
    expect(container.textContent).not.toContain("overdue");
  });

  it("show the instant in UTC on hover", () => {
    render(<Time at="2026-11-15T20:37:52.123Z" />);
    expect(screen.getByRole("time").getAttribute("title")).toContain("2026-11-15 20:37:52.123 UTC");
  });

  it("show JSON as text", () => {
    const { container } = render(
      <JsonView value={{ "<b>": "<script>x</script>" }} label="Arguments" />,
    );
    expect(container.querySelector("script, b")).toBeNull();
    expect(container.textContent).toContain('"<b>": "<script>x</script>"');
  });

  it("tell an error with its remedy and the id of the request", () => {
    const problem = {
      title: "",
      status: 500,
      code: "internal",
      detail: "Something went wrong here.",
      remedy: "Tell them.",
      requestId: "r-1",
    };
    render(<ErrorPanel error={new ApiError(problem)} />);
    expect(screen.getByRole("alert").textContent).toMatch(
      /Something went wrong here\.Tell them\.internal · request r-1/,
    );
  });
});

describe("what a role does not allow", () => {
  it("is told with the role that would, and a way on", () => {
    const problem = {
      title: "Forbidden",
      status: 403,
      code: "not-permitted",
      detail: "this needs the role admin; the credential has viewer",
      remedy: "Ask for a token with the role.",
    };
    render(<ErrorPanel error={new ApiError(problem)} retry={() => undefined} />);
    expect(screen.getByRole("alert").textContent).toContain(
      "This needs the role admin; the credential has viewer.",
    );
    const [signIn] = screen.getAllByRole("link");
    expect(signIn?.getAttribute("href")).toMatch(/^\/login/);
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("the form of parameters", () => {
  it("begins with the defaults and marks what must be given", () => {
    const schema = {
      properties: {
        name: { type: "string", description: "str" },
        times: { type: "integer", description: "int", default: 3 },
        calm: { type: "boolean", default: false },
      },
      required: ["name"],
    };
    const { container } = render(
      <SchemaForm schema={schema} values={defaultsOf(schema)} onChange={() => undefined} />,
    );
    expect(defaultsOf(schema)).toEqual({ times: 3, calm: false });
    expect((screen.getByLabelText("times") as HTMLInputElement).value).toBe("3");
    expect((screen.getByLabelText("name") as HTMLInputElement).required).toBe(true);
    expect((screen.getByLabelText("times") as HTMLInputElement).required).toBe(false);
    expect(container.textContent?.match(/required/g)).toHaveLength(1);
    expect(container.textContent).toContain("A whole number; 3 if left empty");
  });

  it("knows which field a type needs", () => {
    expect(kindOf({ type: "integer" })).toBe("number");
    expect(kindOf({ anyOf: [{ type: "string" }, { type: "null" }] })).toBe("string");
    expect(kindOf({ anyOf: [{ type: "string" }, { type: "integer" }] })).toBe("string");
    expect(kindOf({ anyOf: [{ type: "string" }, { type: "array" }] })).toBe("json");
    expect(kindOf({ enum: ["a"] })).toBe("enum");
    expect(kindOf({ type: "array" })).toBe("json");
    expect(kindOf({})).toBe("json");
  });

  it("does not send what was left empty", () => {
    expect(withValue({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 });
  });

  it("gives numbers as numbers and says what is wrong with JSON", async () => {
    const seen = vi.fn();
    const schema = {
      properties: { many: { type: "integer" }, tags: { type: "array" } },
      required: ["many"],
    };
    render(<SchemaForm schema={schema} values={{}} onChange={seen} />);
    await userEvent.type(screen.getByLabelText("many"), "7");
    expect(seen).toHaveBeenLastCalledWith({ many: 7 }, null);
    await userEvent.type(screen.getByLabelText("tags"), "nonsense");
    expect(seen.mock.lastCall?.[1]).toMatch(/^tags: /);
  });
});
