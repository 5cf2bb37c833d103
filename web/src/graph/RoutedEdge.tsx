/** An edge that passes columns on its way; the others are drawn as React Flow does it. */
import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { WIDTH } from "./layout";
import { type Point, pathThrough } from "./route";

export type RoutedEdge = Edge<{ bends: readonly Point[] }>;

function Routed({ data, sourceX, sourceY, targetX, targetY, ...rest }: EdgeProps<RoutedEdge>) {
  const bends = data?.bends ?? [];
  const last = bends.at(-1);
  const from = { x: sourceX, y: sourceY };
  const to = { x: targetX, y: targetY };
  const before = last ? { x: last.x + WIDTH, y: last.y } : from;
  return (
    <BaseEdge
      id={rest.id}
      path={pathThrough(from, bends, to, WIDTH)}
      label={rest.label}
      labelX={(before.x + to.x) / 2}
      labelY={(before.y + to.y) / 2}
      labelStyle={rest.labelStyle}
      labelBgStyle={rest.labelBgStyle}
      labelBgPadding={rest.labelBgPadding}
      labelBgBorderRadius={rest.labelBgBorderRadius}
      style={rest.style}
    />
  );
}

export const EDGE_TYPES = { routed: Routed };
