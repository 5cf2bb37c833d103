import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { HEIGHT, type Places, WIDTH } from "./layout";
import { neighbour } from "./neighbours";
import { isInSight } from "./view";

interface Props {
  places: Places;
  onReach: (name: string) => void;
  onChoose: ((name: string) => void) | undefined;
}

/** Tab leads to one node, arrow keys to the others, Enter opens; React Flow's own keys stop at each of a thousand. */
export function Keys({ places, onReach, onChoose }: Props) {
  const flow = useReactFlow();
  const store = useStoreApi();
  const latest = useRef({ places, onReach, onChoose });
  latest.current = { places, onReach, onChoose };
  useEffect(() => {
    const frame = store.getState().domNode;
    if (!frame) return;
    const go = (name: string) => {
      const place = latest.current.places.get(name);
      if (!place) return;
      latest.current.onReach(name);
      const { transform, width, height } = store.getState();
      const [x, y, zoom] = transform;
      if (!isInSight(place, { x, y, zoom }, { width, height })) {
        const middle = { x: place.x + WIDTH / 2, y: place.y + HEIGHT / 2 };
        void flow.setCenter(middle.x, middle.y, { zoom });
      }
      // What comes into sight only now is drawn in the next frame.
      requestAnimationFrame(() => requestAnimationFrame(() => nodeOf(frame, name)?.focus()));
    };
    const onKey = (event: KeyboardEvent) => {
      const here = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node");
      const name = here?.dataset.id;
      if (!name || event.target !== here) return;
      const next = neighbour(latest.current.places, name, event.key);
      if (next) go(next);
      else if (event.key === "Enter" || event.key === " ") latest.current.onChoose?.(name);
      else return;
      event.preventDefault();
    };
    frame.addEventListener("keydown", onKey);
    return () => frame.removeEventListener("keydown", onKey);
  }, [flow, store]);
  return null;
}

function nodeOf(frame: HTMLElement, name: string): HTMLElement | null {
  return frame.querySelector(`.react-flow__node[data-id="${CSS.escape(name)}"]`);
}
