import { fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { NodeFrame } from "./NodeFrame";

const onClose = vi.fn();

beforeEach(() => {
  onClose.mockClear();
  Element.prototype.scrollIntoView = () => undefined;
  render(
    <NodeFrame name="ship" onClose={onClose}>
      <button type="button">Log</button>
      <input aria-label="Search" />
      <dialog open aria-label="Rerun">
        <button type="button">Cancel</button>
      </dialog>
    </NodeFrame>,
  );
});

it("closes on Escape", () => {
  fireEvent.keyDown(screen.getByText("Log"), { key: "Escape" });
  expect(onClose).toHaveBeenCalledOnce();
});

it("leaves Escape to a field and to a dialog", () => {
  fireEvent.keyDown(screen.getByLabelText("Search"), { key: "Escape" });
  fireEvent.keyDown(screen.getByText("Cancel"), { key: "Escape" });
  expect(onClose).not.toHaveBeenCalled();
});
