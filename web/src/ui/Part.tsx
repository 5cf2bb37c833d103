/** A part of a page that is loaded while the page asks for its data. */
import { type ComponentType, lazy, useState } from "react";

export interface Coming<Props extends object> {
  here: ComponentType<Props> | null;
  late: ComponentType<Props>;
}

export function coming<Props extends object>(
  module: Promise<{ default: ComponentType<Props> }>,
): Coming<Props> {
  const part: Coming<Props> = {
    here: null,
    late: lazy(() => module) as unknown as ComponentType<Props>,
  };
  module.then(
    ({ default: found }) => {
      part.here = found;
    },
    () => undefined, // told by the lazy one, if somebody wants to see it
  );
  return part;
}

/** React's own lazy shows its fallback, for 300 ms or more, even of what is already here. */
export function Part<Props extends object>({ of, given }: { of: Coming<Props>; given: Props }) {
  const [Shown] = useState(() => of.here ?? of.late);
  return <Shown {...given} />;
}
