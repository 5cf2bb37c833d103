import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import { useReturnFocus } from "./focus";

afterEach(cleanup);

function Inside({ onClose }: { onClose: () => void }) {
  useReturnFocus(true);
  return (
    <button type="button" onClick={onClose}>
      Close
    </button>
  );
}

function Page() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {open && <Inside onClose={() => setOpen(false)} />}
    </>
  );
}

it("comes back to the button that opened a dialog", async () => {
  const user = userEvent.setup();
  render(<Page />);

  await user.click(screen.getByText("Open"));
  screen.getByText("Close").focus();
  await user.click(screen.getByText("Close"));

  expect(document.activeElement).toBe(screen.getByText("Open"));
});
