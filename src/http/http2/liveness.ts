// Notices what an HTTP/2 connection waits for in vain: the acknowledgment of a PING, the server's first frame, room in a flow-control
// window.

import { elapsedText } from '../../core/duration.js';
import { type Notice, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import { sizeText } from '../../core/quantity.js';
import { type Connection, isOneWay, otherSide, type Side } from '../../tcp/stream-event.js';

/** In: control frames and sizes of DATA frames, in order. Out: `http2.unanswered`, `http2.window-full`. */
export class Liveness {
  readonly #connection: Connection;
  readonly #isFromStart: boolean;
  /** Frame of the first and the latest bytes of each side. */
  readonly #first: Partial<Record<Side, Origin>> = {};
  readonly #latest: Partial<Record<Side, Origin>> = {};
  /** The oldest PING of each side that is not acknowledged. */
  readonly #pings: Partial<Record<Side, Origin>> = {};
  /** What each side may still send; null: the connection began before the capture. */
  readonly #windows: Record<Side, Windows> | null;
  /** No bytes are missing so far. */
  #isWindowKnown: boolean;
  #isOver = false;

  /** @param isFromStart the beginning of both directions is captured. */
  constructor(connection: Connection, isFromStart: boolean) {
    this.#connection = connection;
    this.#isFromStart = isFromStart;
    this.#isWindowKnown = isFromStart;
    this.#windows = isFromStart ? { client: new Windows(), server: new Windows() } : null;
  }

  heard(from: Side, origin: Origin): void {
    this.#first[from] ??= origin;
    this.#latest[from] = origin;
  }

  /** Bytes are missing. */
  lost(): void {
    this.#isWindowKnown = false;
  }

  ping(from: Side, isAck: boolean, origin: Origin): void {
    if (!isAck) this.#pings[from] ??= origin;
    // An acknowledgment shows that the peer lives, whatever PING it is for.
    else this.#pings[otherSide(from)] = undefined;
  }

  /** @param size of the initial window of streams that `from` allows (SETTINGS_INITIAL_WINDOW_SIZE). */
  initialWindow(from: Side, size: number): void {
    this.#windows?.[otherSide(from)].resize(size);
  }

  /** @param length of a DATA frame's payload, which ends at `origin`. */
  sent(from: Side, stream: number, length: number, origin: Origin): void {
    if (!this.#isWindowKnown || this.#windows === null) return;
    // A WINDOW_UPDATE was missed, for no sender may send beyond its window.
    if (!this.#windows[from].take(stream, length, origin)) this.#isWindowKnown = false;
  }

  /** WINDOW_UPDATE. @returns the full window of the peer that it opens. */
  granted(from: Side, stream: number, increment: number): FullWindow | null {
    if (!this.#isWindowKnown || this.#windows === null) return null;
    return this.#windows[otherSide(from)].grant(stream, increment);
  }

  /** A side ended a stream, so that it waits for nothing there. */
  streamEnded(from: Side, stream: number): void {
    this.#windows?.[from].forget(stream);
  }

  /** The connection ends, or one side of it. @returns notices, once. */
  ended(origin: Origin): readonly Notice[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    // What would be missed may have been sent.
    if (isOneWay(this.#connection)) return [];
    const found: Notice[] = [];
    for (const side of ['client', 'server'] as const) {
      const ping = this.#unacknowledged(side, origin);
      if (ping !== null) found.push(ping);
      const full = this.#isWindowKnown ? this.#windows?.[side].full : null;
      const waits = full == null ? null : this.fullNotice(side, full, origin);
      if (waits !== null) found.push(waits);
    }
    const silent = this.#silentServer(origin);
    return silent === null ? found : [...found, silent];
  }

  #unacknowledged(from: Side, { time }: Origin): Notice | null {
    const ping = this.#pings[from];
    const peer = otherSide(from);
    const heard = this.#latest[peer];
    if (ping === undefined || time - ping.time < WAITED_NS) return null;
    // A peer that still sends is alive: its acknowledgment is missing for another reason.
    if (heard !== undefined && heard.time > ping.time) return null;
    const since = heard === undefined ? '' : `; nothing came from the ${peer} for ${elapsedText(time - heard.time)}`;
    const detail = `a PING of the ${from} was not acknowledged in ${elapsedText(time - ping.time)}${since}`;
    return this.#notice('http2.unanswered', detail, ping);
  }

  #silentServer({ time }: Origin): Notice | null {
    const { client } = this.#first;
    if (!this.#isFromStart || client === undefined || this.#first.server !== undefined) return null;
    if (time - client.time < WAITED_NS) return null;
    const detail = `HTTP/2 is not agreed on: nothing came from the server in ${elapsedText(time - client.time)} after the client's preface`;
    return this.#notice('http2.unanswered', detail, client);
  }

  /** @returns window-full, if its sender had to wait long. */
  fullNotice(sender: Side, { since, size }: FullWindow, { time }: Origin): Notice | null {
    if (time - since.time < WAITED_NS) return null;
    const reader = otherSide(sender);
    const detail = `the ${reader}'s flow-control window of ${sizeText(size)} was full for ${elapsedText(time - since.time)}: the ${reader} took nothing from the ${sender}`;
    return this.#notice('http2.window-full', detail, since);
  }

  #notice(code: 'http2.unanswered' | 'http2.window-full', detail: string, origin: Origin): Notice {
    return notice(code, detail, { origin, connection: this.#connection.name });
  }
}

export interface FullWindow {
  readonly since: Origin;
  /** Bytes that were granted so far. */
  readonly size: number;
}

interface Window {
  /** Bytes that may still be sent, and all that were granted. */
  left: number;
  size: number;
  /** Since nothing is left. */
  full: FullWindow | null;
}

/** What one side may send (RFC 9113, section 6.9): on each stream, and on the connection. */
class Windows {
  /** By stream; CONNECTION: that of the connection. */
  readonly #streams = new Map<number, Window>();
  #initial = DEFAULT_WINDOW;

  constructor() {
    this.#streams.set(CONNECTION, { left: DEFAULT_WINDOW, size: DEFAULT_WINDOW, full: null });
  }

  /** The first window of which nothing is left. */
  get full(): FullWindow | null {
    for (const { full } of this.#streams.values()) if (full !== null) return full;
    return null;
  }

  resize(size: number): void {
    const change = size - this.#initial;
    this.#initial = size;
    for (const [stream, window] of this.#streams) if (stream !== CONNECTION) widen(window, change);
  }

  /** @returns whether the windows have room for it. */
  take(stream: number, length: number, origin: Origin): boolean {
    return this.#takeOf(CONNECTION, length, origin) && this.#takeOf(stream, length, origin);
  }

  #takeOf(id: number, length: number, origin: Origin): boolean {
    const window = this.#of(id);
    if (length > 0 && length > window.left) return false;
    window.left -= length;
    if (window.left <= 0) window.full ??= { since: origin, size: window.size };
    return true;
  }

  /** @returns the full window that this opens. */
  grant(stream: number, increment: number): FullWindow | null {
    return widen(this.#of(stream), increment);
  }

  forget(stream: number): void {
    this.#streams.delete(stream);
  }

  /** The entry of the connection is the first one, and stays. */
  #forgetOldest(): void {
    const ids = this.#streams.keys();
    ids.next();
    this.forget(ids.next().value as number);
  }

  #of(stream: number): Window {
    let window = this.#streams.get(stream);
    if (window === undefined) {
      if (this.#streams.size > MAX_STREAMS) this.#forgetOldest();
      window = { left: this.#initial, size: this.#initial, full: null };
      this.#streams.set(stream, window);
    }
    return window;
  }
}

/** @returns what was full until now; null: it was not, or it still is. */
function widen(window: Window, bytes: number): FullWindow | null {
  window.left += bytes;
  window.size += bytes;
  const { full } = window;
  if (full === null || window.left <= 0) return null;
  window.full = null;
  return full;
}

/** ns: far more than the round trip that an acknowledgment, a first frame or a WINDOW_UPDATE takes. */
const WAITED_NS = 1_000_000_000n;
/** RFC 9113, section 6.9.2. */
const DEFAULT_WINDOW = 65_535;
const CONNECTION = 0;
/** Limit: streams whose windows are known, as many as are open at a time; a forgotten one starts with the initial window. */
const MAX_STREAMS = 4096;
