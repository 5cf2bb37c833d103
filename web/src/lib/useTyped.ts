import { useEffect, useRef, useState } from "react";

/**
 * What a person types, told further when they pause; follows the address when others change it.
 *
 * The address answers late: what comes back may be an older state of the same typing, and taking it
 * would throw away the letters that came since. Pages are drawn anew all the time, which must not
 * begin the pause again.
 */
export function useTyped(
  kept: string,
  tell: (text: string) => void,
  pauseMs: number,
): [string, (text: string) => void] {
  const [text, setText] = useState(kept);
  const told = useRef(kept);
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => {
    if (kept === told.current) return;
    told.current = kept;
    setText(kept);
  }, [kept]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      latest.current(text);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, pauseMs]);
  return [text, setText];
}
