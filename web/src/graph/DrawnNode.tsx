/** One node of the picture: its state in colour, icon and word, or what it is where it has none. */
import { type Node, type NodeProps, Position, useStore } from "@xyflow/react";
import {
  Bell,
  Box,
  Boxes,
  GitBranch,
  GitPullRequestClosed,
  type LucideIcon,
  PlugZap,
  Unplug,
} from "lucide-react";
import { memo } from "react";
import { count, plural } from "@/lib/format";
import { Name } from "@/ui/Name";
import { lookOf } from "@/ui/State";
import { Duration } from "@/ui/Time";
import type { Drawn } from "./collapse";
import { HEIGHT, WIDTH } from "./layout";
import { inWords } from "./StateBar";
import { FAR, MIDDLE, SMALL } from "./view";

export type FlowNode = Node<{ drawn: Drawn; isChosen: boolean }, "drawn">;

const KINDS: Record<Drawn["kind"], LucideIcon> = {
  work: Box,
  group: Boxes,
  branch: GitBranch,
  short_circuit: GitPullRequestClosed,
  setup: PlugZap,
  teardown: Unplug,
  notify: Bell,
};

/** What a node does whose job is called like it. */
const WORDS: Record<Drawn["kind"], string> = {
  work: "Job",
  group: "Group",
  branch: "Chooses the way",
  short_circuit: "May end it here",
  setup: "Prepares",
  teardown: "Clears up",
  notify: "Tells people",
};

/** Where edges meet a node: told, so that only nodes in sight need to be drawn. */
export const ENDS: NonNullable<FlowNode["handles"]> = [
  { type: "target", position: Position.Left, x: 0, y: HEIGHT / 2, width: 0, height: 0 },
  { type: "source", position: Position.Right, x: WIDTH, y: HEIGHT / 2, width: 0, height: 0 },
];

/** The same again in the page, where React Flow measures what it has drawn; nobody drags from them. */
function Ends() {
  return (
    <>
      <span data-handlepos="left" className="target absolute top-1/2 left-0" />
      <span data-handlepos="right" className="source absolute top-1/2 right-0" />
    </>
  );
}

/** From far away words are dust; the colour still tells. */
function FarNode({ fill, drawn }: { fill: string; drawn: Drawn }) {
  return (
    <div style={{ width: WIDTH, height: HEIGHT }} className={`rounded-lg ${fill}`}>
      <Ends />
      <span className="sr-only">{wordsOf(drawn)}</span>
    </div>
  );
}

/** From a distance its name alone, as large as it fits, on the colour of its state. */
function NamedNode({ fill, drawn, isChosen, isSmall }: NamedProps) {
  return (
    <div
      style={{ width: WIDTH, height: HEIGHT }}
      className={`flex cursor-pointer items-stretch overflow-hidden rounded-lg border bg-surface ${isChosen ? "border-accent ring-4 ring-accent" : "border-line-strong"}`}
    >
      <Ends />
      <span className={`w-3 shrink-0 ${drawn.state ? fill : "bg-sunken"}`} />
      <span
        aria-hidden
        className={`line-clamp-2 flex-1 self-center px-1 text-left font-medium break-all ${isSmall ? "text-[1.625rem] leading-6" : "text-[1.125rem] leading-5"}`}
      >
        {(drawn.kind === "group" && drawn.group) || drawn.name}
      </span>
      <span className="sr-only">{wordsOf(drawn)}</span>
    </div>
  );
}

interface NamedProps {
  fill: string;
  drawn: Drawn;
  isChosen: boolean;
  isSmall: boolean;
}

function wordsOf({ name, state }: Drawn): string {
  return `${name} ${state ? lookOf(state).word : ""}`;
}

/** How much of a node can be read from where one looks. */
function distanceOf(zoom: number): "dust" | "small" | "middle" | "near" {
  if (zoom < FAR) return "dust";
  if (zoom < SMALL) return "small";
  return zoom < MIDDLE ? "middle" : "near";
}

const DrawnNode = memo(function DrawnNode({ data }: NodeProps<FlowNode>) {
  const { drawn, isChosen } = data;
  const look = lookOf(drawn.state);
  const distance = useStore((store) => distanceOf(store.transform[2]));
  if (distance === "dust") return <FarNode fill={look.fill} drawn={drawn} />;
  if (distance !== "near") {
    const seen = { fill: look.fill, drawn, isChosen, isSmall: distance === "small" };
    return <NamedNode {...seen} />;
  }
  const Icon = drawn.state && drawn.kind !== "group" ? look.icon : KINDS[drawn.kind];
  return (
    <div
      style={{ width: WIDTH, height: HEIGHT }}
      className={`flex cursor-pointer items-stretch overflow-hidden rounded-lg border bg-surface shadow-card ${isChosen ? "border-accent ring-2 ring-accent" : drawn.critical ? "border-accent" : "border-line-strong"} ${drawn.kind === "group" ? "border-dashed" : ""}`}
    >
      <Ends />
      <span className={`w-1 shrink-0 ${drawn.state ? look.fill : "bg-sunken"}`} />
      <span className="flex min-w-0 flex-1 flex-col justify-center px-2.5 text-left">
        <Name
          text={(drawn.kind === "group" && drawn.group) || drawn.name}
          className="text-sm font-medium"
        />
        <span className="flex items-center gap-1 text-2xs text-ink-2">
          <Icon
            aria-hidden
            className={`size-3 shrink-0 ${look.spins && drawn.kind !== "group" ? "spin" : ""}`}
          />
          <span className="truncate">
            <Under drawn={drawn} />
          </span>
        </span>
      </span>
    </div>
  );
});

function itemsOf({ done, total, failed }: { done: number; total: number; failed: number }): string {
  return `${count(done)} of ${plural(total, "item")}${failed ? `, ${count(failed)} failed` : ""}`;
}

function Under({ drawn }: { drawn: Drawn }) {
  if (drawn.inside) {
    const nodes = plural(drawn.inside.length, "node");
    return drawn.state ? `${nodes}: ${inWords(drawn.counts ?? {})}` : nodes;
  }
  if (drawn.map && "total" in drawn.map) {
    return (
      <>
        {drawn.state && <span className="sr-only">{`${lookOf(drawn.state).word}, `}</span>}
        {itemsOf(drawn.map)}
      </>
    );
  }
  if (!drawn.state) {
    const what = drawn.job && drawn.job !== drawn.name ? drawn.job : WORDS[drawn.kind];
    return drawn.map ? `${what}, for each item` : what;
  }
  return (
    <>
      {drawn.cached ? "Cached" : lookOf(drawn.state).word}
      {drawn.startedAt && (
        <>
          {" · "}
          <Duration from={drawn.startedAt} until={drawn.finishedAt} ms={drawn.durationMs} />
        </>
      )}
    </>
  );
}

export const NODE_TYPES = { drawn: DrawnNode };
