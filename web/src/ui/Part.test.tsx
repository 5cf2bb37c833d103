import { act, render, screen } from "@testing-library/react";
import { Suspense, useState } from "react";
import { expect, it } from "vitest";
import { coming, Part } from "./Part";

function Greeting({ name }: { name: string }) {
  const [first] = useState(name);
  return <p>{`${first}, now ${name}`}</p>;
}

it("shows at once what came before it was wanted", async () => {
  const module = Promise.resolve({ default: Greeting });
  const part = coming(module);
  await module;
  render(<Part of={part} given={{ name: "Ada" }} />);
  expect(screen.getByText("Ada, now Ada")).toBeTruthy();
});

it("waits for what comes later, and keeps it when it is drawn again", async () => {
  let arrive: (module: { default: typeof Greeting }) => void = () => undefined;
  const part = coming(
    new Promise<{ default: typeof Greeting }>((done) => {
      arrive = done;
    }),
  );
  const shown = (name: string) => (
    <Suspense fallback="wait">
      <Part of={part} given={{ name }} />
    </Suspense>
  );
  const { rerender } = render(shown("Ada"));
  expect(screen.getByText("wait")).toBeTruthy();
  await act(async () => arrive({ default: Greeting }));
  expect(await screen.findByText("Ada, now Ada")).toBeTruthy();
  rerender(shown("Eve"));
  expect(screen.getByText("Ada, now Eve")).toBeTruthy();
});
