import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { writeJson } from "@/lib/json";
import { defaultsOf, type Schema, type Values } from "@/lib/schema";
import { SchemaForm } from "./SchemaForm";
import { instantOf, localOf } from "./SchemaTimes";

const POINT: Schema = {
  type: "object",
  properties: { x: { type: "integer" }, y: { type: "integer" } },
  required: ["x"],
};
const SCHEMA: Schema = {
  type: "object",
  required: ["order", "places"],
  properties: {
    order: {
      type: "object",
      description: "shop.Order",
      required: ["name", "from"],
      properties: {
        name: { type: "string" },
        from: POINT,
        colour: { enum: ["red", "blue"] },
        note: { anyOf: [POINT, { type: "null" }] },
      },
    },
    places: { type: "array", items: POINT },
    tags: { type: "array", items: { type: "string" } },
    sizes: { type: "object", additionalProperties: { type: "integer" } },
    day: { type: "string", format: "date" },
    wait: { type: "string", format: "duration" },
  },
};

type Told = (values: Values, problem: string | null) => void;

function Asked({ told, schema }: { told: Told; schema: Schema }) {
  const [values, setValues] = useState<Values>(() => defaultsOf(schema));
  const onChange: Told = (next, problem) => {
    setValues(next);
    told(next, problem);
  };
  return <SchemaForm schema={schema} values={values} onChange={onChange} />;
}

function given(schema = SCHEMA) {
  const told = vi.fn<Told>();
  render(<Asked told={told} schema={schema} />);
  const last = () => told.mock.lastCall;
  return { sent: () => JSON.parse(writeJson(last()?.[0])), problem: () => last()?.[1] };
}

const part = (name: string) => within(screen.getByRole("group", { name: new RegExp(`^${name}`) }));

describe("a form of nested types", () => {
  it("has fields within fields, and those that must be given from the start", async () => {
    const { sent } = given();
    await userEvent.type(part("order").getByLabelText(/^name/), "Ada");
    await userEvent.type(part("from").getByLabelText("x"), "3");
    await userEvent.selectOptions(part("order").getByLabelText("colour"), "blue");

    expect(sent()).toEqual({
      order: { name: "Ada", from: { x: 3 }, colour: "blue" },
      places: [],
    });
  });

  it("leaves out what nobody gives, and takes it away again", async () => {
    const { sent } = given();
    await userEvent.click(screen.getByRole("button", { name: "Give note" }));
    await userEvent.type(part("note").getByLabelText("x"), "1");
    expect(sent().order.note).toEqual({ x: 1 });

    await userEvent.click(screen.getByRole("button", { name: "Leave out note" }));
    expect(sent().order).not.toHaveProperty("note");
  });

  it("adds items to a list and removes one of them", async () => {
    const { sent } = given();
    const add = screen.getByRole("button", { name: "Add to places" });
    for (const [at, x] of ["1", "2", "3"].entries()) {
      await userEvent.click(add);
      await userEvent.type(part(`places ${at + 1}`).getByLabelText("x"), x);
    }
    await userEvent.click(screen.getByRole("button", { name: "Remove places 2" }));

    expect(sent().places).toEqual([{ x: 1 }, { x: 3 }]);
  });

  it("takes names of one's own, with a value each", async () => {
    const { sent } = given();
    await userEvent.click(screen.getByRole("button", { name: "Give sizes" }));
    await userEvent.type(screen.getByLabelText("A name to add to sizes"), "wide");
    await userEvent.click(part("sizes").getByRole("button", { name: "Add to sizes" }));
    await userEvent.type(part("sizes").getByLabelText(/^wide/), "7");

    expect(sent().sizes).toEqual({ wide: 7 });
  });

  it("sends lengths of time as they are stored, and says what is none", async () => {
    const { sent, problem } = given();
    await userEvent.type(screen.getByLabelText("wait"), "1h 30m");
    expect(sent().wait).toBe("PT1H30M");
    expect(problem()).toBeNull();

    await userEvent.type(screen.getByLabelText("wait"), " or so");
    expect(problem()).toContain("wait");
  });

  it("keeps what is wrong deep inside until it is right", async () => {
    const deep: Schema = {
      properties: {
        outer: {
          type: "object",
          properties: { wait: { type: "string", format: "duration" }, n: { type: "integer" } },
        },
      },
      required: ["outer"],
    };
    const { problem } = given(deep);
    await userEvent.type(screen.getByLabelText("wait"), "soon");
    await userEvent.type(screen.getByLabelText("n"), "1");

    expect(problem()).toContain("wait");
  });

  it("shows what only the handler can check by the form that comes with it", async () => {
    const { sent } = given({ properties: { model: { form: POINT } }, required: ["model"] });
    await userEvent.type(part("model").getByLabelText("x"), "5");

    expect(sent()).toEqual({ model: { x: 5 } });
  });
});

it("an instant comes back as it was written", () => {
  expect(instantOf("")).toBeUndefined();
  expect(localOf(instantOf("2026-03-29T12:30:15") ?? "")).toBe("2026-03-29T12:30:15");
});
