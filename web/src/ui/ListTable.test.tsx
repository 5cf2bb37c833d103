import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ListTable } from "./ListTable";

const NONE = { rows: [], onEnd: () => undefined, loading: false, refetch: () => undefined };

function shown(error: unknown) {
  render(
    <ListTable
      label="Runs"
      list={{ ...NONE, error }}
      columns={[]}
      idOf={String}
      empty={<p>Nothing has run yet</p>}
    />,
  );
}

it("a list that could not be had is not told to be empty", () => {
  shown(new Error("The server did not answer."));
  expect(screen.getByRole("alert").textContent).toContain("The server did not answer.");
  expect(screen.queryByText("Nothing has run yet")).toBeNull();
});

it("a list without rows says what there could be", () => {
  shown(null);
  expect(screen.getByText("Nothing has run yet")).toBeTruthy();
});
