import { useEffect, useState } from "react";

/** From how many pixels on a screen is called so; the same as in the styles. */
export const WIDTHS = { sm: 640, md: 768, lg: 1024, xl: 1280 } as const;

/** Of the window. */
export function useWidth(): number {
  const [width, setWidth] = useState(window.innerWidth);
  useEffect(() => {
    const onResize = () => setWidth(window.innerWidth);
    addEventListener("resize", onResize);
    return () => removeEventListener("resize", onResize);
  }, []);
  return width;
}
