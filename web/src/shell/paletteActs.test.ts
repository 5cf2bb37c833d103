import { expect, test, vi } from "vitest";
import { actsFor, isAct, type Target } from "./paletteActs";

const QUEUE: Target = {
  subject: "queue",
  noun: "queue",
  id: "mail",
  name: "mail",
  item: { verbs: ["pause"] },
};
const PAUSED: Target = { ...QUEUE, id: "fax", name: "fax", item: { verbs: ["resume"] } };
const JOB: Target = { ...QUEUE, subject: "job", noun: "job", id: "mailing", name: "mailing" };
const WORKER: Target = {
  subject: "worker",
  noun: "worker",
  id: "w1",
  name: "box",
  item: { verbs: [] },
};
const ALL = [QUEUE, PAUSED, JOB, WORKER];

const titles = (wanted: string) => actsFor(wanted, ALL, vi.fn()).map(({ title }) => title);

test("a verb and a name are an act; a noun between them narrows it", () => {
  expect(titles("pause mail")).toEqual(["Pause queue mail", "Pause job mailing"]);
  expect(titles("pause queue mail")).toEqual(["Pause queue mail"]);
  expect(titles("PAU q mai")).toEqual(["Pause queue mail"]);
  expect(titles("resume")).toEqual(["Resume queue fax"]);
});

test("what the caller may not do now is not offered", () => {
  expect(titles("drain box")).toEqual([]);
  expect(titles("pause fax")).toEqual([]);
});

test("only words that begin with a verb are an act", () => {
  expect(titles("mail")).toEqual([]);
  expect(["pause x", "Drain", "resum", "mail", "pa", ""].map(isAct)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a chosen act is told with what it is about", () => {
  const onAct = vi.fn();
  actsFor("pause mail", ALL, onAct)[0]?.go();

  expect(onAct.mock.lastCall?.[0]).toMatchObject({ target: QUEUE, action: { verb: "pause" } });
});
