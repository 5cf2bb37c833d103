import type { GraphNode, State } from "../src/api/types.ts";
import { type Made, noise } from "./runs.ts";

export const GRAPHS = [
  { run: "01930f4e-9999-7b2e-9d10-000000000001", size: 14 },
  { run: "01930f4e-9999-7b2e-9d10-000000001000", size: 1000 },
];

const SMALL: [string, string[], string?][] = [
  ["extract_orders", [], "extract"],
  ["extract_customers", [], "extract"],
  ["extract_spend", [], "extract"],
  ["clean_orders", ["extract_orders"]],
  ["join", ["clean_orders", "extract_customers"]],
  ["load_orders", ["join"]],
  ["score", ["join"]],
  ["train", ["score"]],
  ["evaluate", ["train"]],
  ["publish_model", ["evaluate"]],
  ["spend_report", ["extract_spend", "load_orders"]],
  ["send_report", ["spend_report"]],
  ["refresh_cache", ["load_orders"]],
  ["cleanup", ["send_report", "refresh_cache", "publish_model"]],
];

function stateAt(index: number, size: number, isSmall: boolean): State {
  if (isSmall)
    return (
      (
        [
          "success",
          "success",
          "success",
          "success",
          "success",
          "failed",
          "success",
          "running",
          "pending",
          "pending",
          "pending",
          "pending",
          "pending",
          "pending",
        ] as State[]
      )[index] ?? "pending"
    );
  return index < size * 0.6
    ? noise(index) < 0.02
      ? "failed"
      : "success"
    : index < size * 0.65
      ? "running"
      : "pending";
}

export function graphOfRun(id: string, now: number): object {
  const isSmall = !id.endsWith("1000");
  const names: [string, string[], string?][] = isSmall
    ? SMALL
    : Array.from({ length: 1000 }, (_, index) => [
        `step_${index}`,
        index < 20
          ? []
          : [`step_${index - 20}`, ...(index % 3 ? [] : [`step_${Math.max(0, index - 27)}`])],
        undefined,
      ]);
  const nodes = names.map(([name, , group], index): GraphNode => {
    const state = stateAt(index, names.length, isSmall);
    const began = state !== "pending" && state !== "skipped";
    const from = now - 900_000 + index * 38_000;
    const took = 9_000 + Math.round(noise(index) * 60_000);
    return {
      name,
      job: `nightly.${name}`,
      group: group ?? null,
      kind: "work",
      join: "all_success",
      state,
      runId: began
        ? `01930f4e-${(0x7000 + index).toString(16)}-7b2e-9d10-${(0xabcdef000000 + index * 7919).toString(16)}`
        : null,
      startedAt: began ? new Date(from).toISOString() : null,
      finishedAt: began && state !== "running" ? new Date(from + took).toISOString() : null,
      durationMs: began && state !== "running" ? took : null,
      attempt: began ? 1 : null,
      reason: state === "failed" ? "ConnectionResetError: connection reset by peer" : null,
      map: name === "score" ? { total: 400, done: 310, failed: 2, running: 8 } : null,
      critical: ["extract_orders", "clean_orders", "join", "score", "train"].includes(name),
      verbs: began ? ["rerun"] : ["mark"],
    };
  });
  const edges = names.flatMap(([name, after]) => after.map((from) => ({ from, to: name })));
  const done = nodes.filter((node) => node.state === "success").length;
  return {
    graph: { nodes, edges },
    progress: {
      done,
      total: nodes.length,
      estimateMs: 310_000,
      criticalPath: isSmall ? ["extract_orders", "clean_orders", "join", "score", "train"] : [],
    },
  };
}

export function graphDefinition(name: string): object {
  const { graph } = graphOfRun(name === "huge" ? "1000" : "1", Date.now()) as {
    graph: { nodes: GraphNode[]; edges: object[] };
  };
  return {
    name,
    version: 3,
    nodes: graph.nodes.map(({ name: own, job, group, kind, join }) => ({
      name: own,
      job,
      group,
      kind,
      join,
    })),
    edges: graph.edges,
  };
}

export function gridOf(run: Made): object {
  const runs = Array.from({ length: 30 }, (_, index) => ({
    executionId: `${run.executionId.slice(0, -2)}${10 + index}`,
    scheduledFor: new Date(Date.now() - (30 - index) * 86_400_000).toISOString(),
    state: (index % 9 === 4 ? "failed" : index === 29 ? "running" : "success") as State,
  }));
  const nodes = SMALL.map(([name]) => name);
  const cells = Object.fromEntries(
    runs.map((each, column) => [
      each.executionId,
      Object.fromEntries(
        nodes.map((node, row) => [
          node,
          each.state === "failed" && row > 5
            ? row === 6
              ? "failed"
              : "skipped"
            : column === 29 && row > 7
              ? row === 8
                ? "running"
                : "pending"
              : "success",
        ]),
      ),
    ]),
  );
  return { runs, nodes, cells };
}
