/**
 * Where a tab hears of changes: from the stream that all tabs of the browser share, or, where the
 * browser has no such workers, from one of its own.
 */
import { HERE_MS, type Said, type Told } from "./hub";
import { EventStream, type ServerEvent, type StreamState } from "./stream";

export interface SourceOptions {
  url: () => string;
  headers: () => Record<string, string>;
  topics: () => string[];
  onEvent: (event: ServerEvent) => void;
  onState: (state: StreamState) => void;
  onRefused: (status: number) => void;
  onReset: () => void;
  /** Lines of a log may have passed unseen. */
  onGap: () => void;
}

/** A worker that has not said a word by then does not work here. */
const PATIENCE_MS = 10_000;
/** A page that nobody looks at needs no stream; one of its own others may need sooner. */
const HIDDEN_MS = { shared: 60_000, own: 5_000 };

export interface Port {
  postMessage: (said: Said) => void;
  onmessage: ((event: MessageEvent<Told>) => void) | null;
  close: () => void;
}

/** Connects to the worker; none where the browser has none. */
export type Connect = (onBroken: () => void) => Port | null;

export class Source {
  private readonly own: EventStream;
  private port: Port | null = null;
  private isShared = true;
  private isOpen = false;
  private isHeard = false;
  private sent = "";
  private here: ReturnType<typeof setInterval> | null = null;
  private silence: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly options: SourceOptions,
    private readonly connect: Connect = connectWorker,
  ) {
    const { url, topics, onGap: _, ...heard } = options;
    this.own = new EventStream({
      ...heard,
      url: () => `${url()}?topics=${encodeURIComponent(topics().join(","))}`,
    });
  }

  /** For how long a hidden page keeps it. */
  get hiddenMs(): number {
    return this.isShared ? HIDDEN_MS.shared : HIDDEN_MS.own;
  }

  start(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    if (this.isShared) this.share();
    else this.own.start();
  }

  close(): void {
    this.isOpen = false;
    this.leave();
    if (this.isShared) this.options.onState("stopped");
    else this.own.close();
  }

  /** What is wanted has changed. */
  change(): void {
    if (!this.isOpen) return;
    if (this.isShared) this.want();
    else this.own.restart();
  }

  /** There is no reason to wait for the next try. */
  wake(): void {
    if (!this.isOpen) return;
    if (this.isShared) this.port?.postMessage({ kind: "wake" });
    else this.own.restart();
  }

  private share(): void {
    this.isHeard = false;
    this.port = this.connect(() => this.goAlone());
    if (!this.port) {
      this.goAlone();
      return;
    }
    this.port.onmessage = ({ data }) => this.hear(data);
    this.here = setInterval(() => this.want(), HERE_MS);
    this.options.onState("connecting");
    this.want();
  }

  private leave(): void {
    if (this.here) clearInterval(this.here);
    if (this.silence) clearTimeout(this.silence);
    this.here = this.silence = null;
    if (this.port) {
      this.port.onmessage = null;
      this.port.postMessage({ kind: "leave" });
      this.port.close();
    }
    this.port = null;
  }

  private goAlone(): void {
    if (!this.isShared) return;
    this.leave();
    this.isShared = false;
    if (this.isOpen) this.own.start();
  }

  private want(): void {
    const { url, headers, topics } = this.options;
    this.silence ??= setTimeout(() => this.onSilence(), PATIENCE_MS);
    this.sent = JSON.stringify(headers());
    this.port?.postMessage({ kind: "want", url: url(), headers: headers(), topics: topics() });
  }

  /** It may have been ended, as by a browser that needs room: then there will be another one. */
  private onSilence(): void {
    this.silence = null;
    if (!this.isHeard) this.goAlone();
    else {
      this.leave();
      this.share();
    }
  }

  private hear(told: Told): void {
    this.isHeard = true;
    if (this.silence) clearTimeout(this.silence);
    this.silence = null;
    if (told.kind === "event") this.options.onEvent(told.event);
    else if (told.kind === "state") this.options.onState(told.state);
    else if (told.kind === "refused") this.options.onRefused(told.status);
    else if (told.kind === "reset") this.options.onReset();
    else this.options.onGap();
    this.mendSession(told);
  }

  /** Who has signed in anew meanwhile is refused with the token of before. */
  private mendSession(told: Told): void {
    const isRefused = told.kind === "state" && told.state === "waiting";
    if (isRefused && JSON.stringify(this.options.headers()) !== this.sent) this.want();
  }
}

function connectWorker(onBroken: () => void): Port | null {
  if (typeof SharedWorker === "undefined") return null;
  try {
    const worker = new SharedWorker(new URL("./hub.worker.ts", import.meta.url), {
      type: "module",
      name: "rota-live",
    });
    worker.onerror = onBroken;
    return worker.port;
  } catch {
    return null;
  }
}
