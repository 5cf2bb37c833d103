import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, it } from "vitest";
import type { Search } from "@/lib/search";
import { Period } from "./Period";

function Page() {
  const [search, setSearch] = useState<Search>({});
  return (
    <>
      <Period search={search} setSearch={(patch) => setSearch({ ...search, ...patch })} />
      <button type="button" onClick={() => setSearch({})}>
        Remove all filters
      </button>
    </>
  );
}

const since = () => (screen.getByLabelText("Since") as HTMLSelectElement).value;

it("keeps both fields when somebody empties them, and not when the filters are removed", () => {
  render(<Page />);
  fireEvent.change(screen.getByLabelText("Since"), { target: { value: "between" } });
  expect((screen.getByLabelText("From") as HTMLInputElement).value).not.toBe("");
  fireEvent.change(screen.getByLabelText("From"), { target: { value: "" } });
  expect(since()).toBe("between");
  fireEvent.change(screen.getByLabelText("Until"), { target: { value: "2026-11-17T01:30" } });
  expect((screen.getByLabelText("Until") as HTMLInputElement).value).toBe("2026-11-17T01:30");

  fireEvent.click(screen.getByText("Remove all filters"));
  expect(since()).toBe("");
  expect(screen.queryByLabelText("From")).toBeNull();
});
