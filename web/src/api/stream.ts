/** Server-sent events over fetch, so that a reconnect can say what it saw last. */

export interface ServerEvent {
  id: string | null;
  event: string;
  data: string;
}

/** Turns chunks of text into events; keeps what is not complete for the next chunk. */
export class EventParser {
  private rest = "";
  private event = "";
  private data: string[] = [];
  private id: string | null = null;
  /** Where to go on from; a block without data is no event, but may tell a place. */
  lastId: string | null = null;

  push(chunk: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const text = this.rest + chunk;
    // A carriage return at the very end may be half of a line break.
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? "") + (text.endsWith("\r") ? "\r" : "");
    for (const line of lines) {
      if (line === "") {
        const done = this.finish();
        if (done) events.push(done);
      } else if (!line.startsWith(":")) {
        this.take(line);
      }
    }
    return events;
  }

  private take(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.event = value;
    else if (name === "data") this.data.push(value);
    else if (name === "id" && !value.includes("\0")) this.id = value;
  }

  private finish(): ServerEvent | null {
    this.lastId = this.id;
    const isEmpty = this.data.length === 0 && this.event === "";
    const done = { id: this.id, event: this.event || "message", data: this.data.join("\n") };
    this.event = "";
    this.data = [];
    return isEmpty ? null : done;
  }
}

export type StreamState = "connecting" | "live" | "waiting" | "stopped";

export interface StreamOptions {
  url: () => string;
  onEvent: (event: ServerEvent) => void;
  onState?: (state: StreamState) => void;
  /** The status with which the server refused the stream. */
  onRefused?: (status: number) => void;
  /** Called after a pause so long or so broken that what is on the screen may be old. */
  onReset: () => void;
  headers?: () => Record<string, string>;
  fetch?: typeof fetch;
  random?: () => number;
  firstPauseMs?: number;
  longestPauseMs?: number;
  /** No byte for so long means that the connection is dead, whatever the network says. */
  silenceMs?: number;
}

/** One connection that comes back by itself, later each time, and says where it stopped. */
export class EventStream {
  private stop: AbortController | null = null;
  private lastId: string | null = null;
  private failures = 0;

  constructor(private readonly options: StreamOptions) {}

  start(): void {
    if (this.stop) return;
    this.stop = new AbortController();
    void this.keepOpen(this.stop.signal);
  }

  close(): void {
    this.stop?.abort();
    this.stop = null;
    this.options.onState?.("stopped");
  }

  /** Connects anew, for other topics, from the place we are at. */
  restart(): void {
    this.stop?.abort();
    this.stop = null;
    this.start();
  }

  private async keepOpen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.options.onState?.("connecting");
      try {
        await this.read(signal);
      } catch {
        // Every failure has the same cure: wait, and connect again.
      }
      if (signal.aborted) return;
      this.failures += 1;
      this.options.onState?.("waiting");
      await pause(this.nextPause(), signal);
    }
  }

  private nextPause(): number {
    const { firstPauseMs = 500, longestPauseMs = 20_000, random = Math.random } = this.options;
    const full = Math.min(longestPauseMs, firstPauseMs * 2 ** (this.failures - 1));
    return full * (0.5 + random() / 2);
  }

  private async read(outer: AbortSignal): Promise<void> {
    const dead = new AbortController();
    const signal = AbortSignal.any([outer, dead.signal]);
    const headers = { Accept: "text/event-stream", ...this.options.headers?.() };
    if (this.lastId !== null) Object.assign(headers, { "Last-Event-ID": this.lastId });
    const answer = await (this.options.fetch ?? fetch)(this.options.url(), {
      headers,
      signal,
      cache: "no-store",
      credentials: "same-origin",
    });
    if (!answer.ok || !answer.body) {
      // A place that the server does not know would be refused for ever.
      if (answer.status === 400) this.lastId = null;
      this.options.onRefused?.(answer.status);
      throw new Error(`the stream answered ${answer.status}`);
    }
    this.options.onState?.("live");
    // What the stream tells again is not all: what was asked for meanwhile was refused, too.
    if (this.failures > 0) this.options.onReset();
    this.failures = 0;
    await this.drain(answer.body, dead, outer);
  }

  private async drain(
    body: ReadableStream<Uint8Array>,
    dead: AbortController,
    outer: AbortSignal,
  ): Promise<void> {
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const heard = onSilence(this.options.silenceMs ?? 45_000, () => dead.abort());
      const { done, value } = await reader.read().finally(heard);
      if (done || outer.aborted) return;
      for (const event of parser.push(decoder.decode(value, { stream: true }))) this.take(event);
      this.lastId = parser.lastId ?? this.lastId;
    }
  }

  private take(event: ServerEvent): void {
    if (event.event === "reset") this.options.onReset();
    else this.options.onEvent(event);
  }
}

const SLICE_MS = 5_000;

/** Timers stand still while a computer sleeps, and clocks may be set back: the longer time counts. */
function onSilence(ms: number, then: () => void): () => void {
  const slice = Math.min(ms, SLICE_MS);
  let left = ms;
  let before = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    left -= Math.max(slice, now - before);
    before = now;
    if (left <= 0) then();
  }, slice);
  return () => clearInterval(timer);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
