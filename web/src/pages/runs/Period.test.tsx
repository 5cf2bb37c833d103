import { fireEvent, render, screen, waitFor } from "@testing-library/react";
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
      <output>{JSON.stringify(search)}</output>
    </>
  );
}

const since = () => (screen.getByLabelText("Since") as HTMLSelectElement).value;

const address = () => JSON.parse(screen.getByRole("status").textContent ?? "") as Search;

it("keeps both fields when somebody empties them, and not when the filters are removed", async () => {
  render(<Page />);
  fireEvent.change(screen.getByLabelText("Since"), { target: { value: "between" } });
  expect((screen.getByLabelText("From") as HTMLInputElement).value).not.toBe("");
  fireEvent.change(screen.getByLabelText("From"), { target: { value: "" } });
  await waitFor(() => expect(address()).toEqual({}));
  expect(since()).toBe("between");
  fireEvent.change(screen.getByLabelText("Until"), { target: { value: "2026-11-17T01:30" } });
  await waitFor(() => expect(address().until).toMatch(/^2026-11-1[67]T/));
  expect((screen.getByLabelText("Until") as HTMLInputElement).value).toBe("2026-11-17T01:30");

  fireEvent.click(screen.getByText("Remove all filters"));
  expect(since()).toBe("");
  expect(screen.queryByLabelText("From")).toBeNull();
});
