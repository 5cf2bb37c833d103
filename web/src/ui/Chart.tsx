/** Time series on a canvas; colours come from the theme, so it is drawn anew when that changes. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { serverNow } from "@/lib/clock";
import { plural } from "@/lib/format";
import { clock, DAY, dayMonth, HOUR, hourMinute, MINUTE, SECOND } from "@/lib/time";
import { stepTo, summaryOf } from "./chartWords";

export interface Series {
  label: string;
  values: (number | null)[];
  /** The name of a colour token: "ok-fill". */
  colour: string;
  kind?: "bar" | "line";
}

interface Props {
  label: string;
  times: string[];
  series: Series[];
  show: (value: number) => string;
  /** What is counted: lines of the grid are at whole numbers, or at round times. */
  unit?: "count" | "time";
  height?: number;
  /** Bars on top of one another, in the order given. */
  stacked?: boolean;
}

export function Chart(props: Props) {
  const { height = 180 } = props;
  if (hasSome(props.series)) return <Plot {...props} height={height} />;
  return (
    <p className="grid place-items-center text-ink-2" style={{ height: height + 28 }}>
      Nothing in this time
    </p>
  );
}

/** No bar is nothing to see; a line at zero is something: what took no time was measured. */
export function hasSome(series: Series[]): boolean {
  return series.some(({ kind, values }) =>
    values.some((value) => (kind === "line" ? value !== null : Boolean(value))),
  );
}

function Plot(props: Props) {
  const { label, times, series, show, unit = "count", height = 180, stacked } = props;
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [theme, setTheme] = useState(0);
  const shape = series.map((each) => `${each.label}${each.kind}${each.colour}`).join();
  const data = toData(times, series, stacked ?? false);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const onTheme = () => setTheme((count) => count + 1);
    addEventListener("rota-theme", onTheme);
    return () => removeEventListener("rota-theme", onTheme);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new shape or theme needs a new plot, new data does not
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const options = optionsFor(
      series,
      { show, unit },
      element.clientWidth,
      height,
      stacked ?? false,
    );
    options.hooks = { setCursor: [(self) => setHovered(self.cursor.idx ?? null)] };
    plot.current = new uPlot(options, latest.current, element);
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height }),
    );
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, theme, height, stacked]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts say whether the numbers changed
  useEffect(() => {
    plot.current?.setData(latest.current);
  }, [JSON.stringify(data)]);

  const summary = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const next = stepTo(event.key, hovered, times.length);
    if (next === undefined || !plot.current) return;
    event.preventDefault();
    const left = next === null ? -10 : plot.current.valToPos(plot.current.data[0][next] ?? 0, "x");
    plot.current.setCursor({ left, top: 0 });
  };
  return (
    // By arrow keys one goes from value to value, as the mouse does by hovering.
    <figure
      aria-label={label}
      aria-describedby={summary}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its values are read by arrow keys
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => plot.current?.setCursor({ left: -10, top: 0 })}
      className="m-0"
    >
      <p id={summary} className="sr-only">
        {series.map((each) => summaryOf(each, times, show)).join(" ")}
      </p>
      <div ref={host} aria-hidden style={{ height }} className="overflow-hidden" />
      <figcaption
        aria-live="polite"
        className="flex min-h-5 flex-wrap gap-x-4 gap-y-1 pt-2 text-xs text-ink-2"
      >
        {series.map((each) => (
          <span key={each.label} className="num inline-flex items-center gap-1.5">
            <span
              className="size-2 rounded-[2px]"
              style={{ background: `var(--${each.colour})` }}
            />
            {each.label}
            {hovered !== null && <b className="text-ink">{showAt(each.values[hovered], show)}</b>}
          </span>
        ))}
        <span className="num ml-auto">
          {hovered === null ? barOf(series, times) : clockOf(times[hovered])}
        </span>
      </figcaption>
    </figure>
  );
}

function clockOf(at: string | undefined): string {
  return at ? `${clock(at, serverNow())} (${hourMinute(at, "UTC")} UTC)` : "";
}

/** "a bar is 1 hour": numbers of bars say nothing without it. */
export function barOf(series: Series[], times: string[]): string {
  const [first, second] = times;
  if (!first || !second || series.every((each) => each.kind === "line")) return "";
  return `a bar is ${roundSpan(new Date(second).getTime() - new Date(first).getTime())}`;
}

const SPANS = [
  ["day", DAY],
  ["hour", HOUR],
  ["min", MINUTE],
] as const;

function roundSpan(ms: number): string {
  const [word, size] = SPANS.find(([, each]) => ms >= each && ms % each === 0) ?? ["s", SECOND];
  const many = Math.round(ms / size);
  return word === "min" || word === "s" ? `${many} ${word}` : plural(many, word);
}

function showAt(value: number | null | undefined, show: (value: number) => string): string {
  return value === null || value === undefined ? "–" : show(value);
}

function toData(times: string[], series: Series[], stacked: boolean): uPlot.AlignedData {
  const seconds = times.map((at) => new Date(at).getTime() / 1000);
  const sums = times.map(() => 0);
  const columns = series.map((each) =>
    times.map((_, index) => {
      const value = each.values[index] ?? null;
      if (!stacked) return value;
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return sums[index] ?? null;
    }),
  );
  // The tallest is drawn first, so that the lower ones lie on top of it.
  return [seconds, ...(stacked ? columns.reverse() : columns)] as uPlot.AlignedData;
}

const FEW = 8;

/** A line needs neighbours; where there are few, each value is a dot as well. */
function isSparse(plot: uPlot, index: number): boolean {
  return (plot.data[index] ?? []).filter((value) => value !== null).length < FEW;
}

const LONG_S = (2 * DAY) / SECOND;

/** The clock for hours, the day for days. */
function axisTime(at: number, splits: number[]): string {
  const whole = (splits.at(-1) ?? 0) - (splits[0] ?? 0);
  return whole > LONG_S ? dayMonth(at) : hourMinute(at);
}

/** Half a bucket more on both sides, so that the first and the last bar are whole. */
function aroundBars(plot: uPlot, from: number, until: number): uPlot.Range.MinMax {
  const many = plot.data[0].length;
  const half = many > 1 ? (until - from) / (many - 1) / 2 : 30;
  return [from - half, until + half];
}

function ends(_: uPlot, from: number, until: number): uPlot.Range.MinMax {
  return [from, until];
}

const COUNT_STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) =>
  [1, 2, 5].map((each) => each * 10 ** power),
);
const TIME_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7200].map((each) => each * MINUTE),
];

interface Scale {
  show: (value: number) => string;
  unit: "count" | "time";
}

/** Wide enough for the longest number, so that grids begin where their card's title does. */
function axisWidth(_: uPlot, values: string[] | null): number {
  return 14 + 6.5 * Math.max(2, ...(values ?? []).map((each) => each.length));
}

function optionsFor(
  series: Series[],
  { show, unit }: Scale,
  width: number,
  height: number,
  stacked: boolean,
): uPlot.Options {
  const css = getComputedStyle(document.documentElement);
  const token = (name: string) => css.getPropertyValue(`--${name}`).trim();
  const order = stacked ? [...series].reverse() : series;
  const font = "11px Inter Variable, sans-serif";
  const axis = { stroke: token("ink-3"), font, ticks: { show: false }, border: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.8, 24], radius: 0.15 });
  return {
    width,
    height,
    padding: [8, 16, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    legend: { show: false },
    scales: {
      x: { range: series.some((each) => each.kind !== "line") ? aroundBars : ends },
      y: { range: (_, __, max) => [0, Math.max(max * 1.08, 1)] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 70,
        grid: { show: false },
        values: (_, splits) => splits.map((second) => axisTime(second * 1000, splits)),
      },
      {
        ...axis,
        size: axisWidth,
        space: 30,
        incrs: unit === "time" ? TIME_STEPS : COUNT_STEPS,
        grid: { stroke: token("line"), width: 1 },
        values: (_, splits) => splits.map((value) => (value === 0 ? "0" : show(value))),
      },
    ],
    series: [
      {},
      ...order.map((each): uPlot.Series => {
        const colour = token(each.colour);
        if (each.kind === "line")
          return {
            label: each.label,
            stroke: colour,
            width: 1.75,
            points: { show: isSparse, size: 6, fill: colour },
            spanGaps: true,
          };
        return {
          label: each.label,
          fill: colour,
          width: 0,
          points: { show: false },
          ...(bars && { paths: bars }),
        };
      }),
    ],
  };
}
