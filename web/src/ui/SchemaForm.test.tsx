import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { parseJson, writeJson } from "@/lib/json";
import type { Schema, Values } from "@/lib/schema";
import { SchemaForm } from "./SchemaForm";

const SCHEMA: Schema = {
  properties: {
    rate: { type: "number" },
    size: { anyOf: [{ type: "integer" }, { type: "null" }] },
    scale: { enum: (parseJson('{"enum": [1.0, 2.0]}') as Schema).enum ?? [] },
  },
};

function Asked({ start = {}, told }: { start?: Values; told: (values: Values) => void }) {
  const [values, setValues] = useState<Values>(start);
  return (
    <SchemaForm
      schema={SCHEMA}
      values={values}
      onChange={(next) => {
        setValues(next);
        told(next);
      }}
    />
  );
}

function given(start?: Values) {
  const told = vi.fn<(values: Values) => void>();
  render(<Asked told={told} {...(start && { start })} />);
  return { sent: () => writeJson(told.mock.lastCall?.[0]) };
}

describe("a field for a number", () => {
  it.each(["1.05", "0.105", "100.0", "2.50"])("takes %s sign by sign", async (text) => {
    const { sent } = given();
    await userEvent.type(screen.getByLabelText(/rate/), text);
    expect(screen.getByLabelText(/rate/)).toHaveProperty("value", text);
    expect(sent()).toBe(`{"rate":${text}}`);
  });

  it("that is whole gives a whole one, however it is written", async () => {
    const { sent } = given();
    await userEvent.type(screen.getByLabelText(/size/), "2.0");
    expect(sent()).toBe('{"size":2}');
  });

  it("shows what was given before as it was written", () => {
    given((parseJson('{"args":{"rate":3.0}}') as { args: Values }).args);
    expect(screen.getByLabelText(/rate/)).toHaveProperty("value", "3.0");
  });

  it("finds a choice again that came in another answer", () => {
    given((parseJson('{"args":{"scale":2.0}}') as { args: Values }).args);
    expect(screen.getByLabelText(/scale/)).toHaveProperty("value", "1");
  });
});
