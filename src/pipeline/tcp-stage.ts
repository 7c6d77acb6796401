// The first third of the pipeline: frames become the bytes of TCP connections. It knows the order of these stages, and
// nothing of what is said on a connection; who hears it may be elsewhere.

import type { CaptureReport, EmbeddedSecrets, Frame, LoopbackHosts, NoSecrets } from '../capture/frame.js';
import { CLOCK_STEP_NS } from '../core/frame-order.js';
import type { Notice } from '../core/notice.js';
import { ORDER_SLACK_NS } from '../core/origin.js';
import { duplicateFilter } from '../packet/duplicates.js';
import { LoopbackFlows } from '../packet/loopbacks.js';
import { packetDecoder } from '../packet/packet-decoder.js';
import type { Segment } from '../packet/segment.js';
import { type Hash, type StreamDigest, streamDigest } from '../tcp/digest.js';
import { withNumbers } from '../tcp/initial-sequence-numbers.js';
import { type TcpReassembler, tcpReassembler } from '../tcp/reassembler.js';
import type { InitialSequenceNumbers, StreamBytes, StreamEvent } from '../tcp/stream-event.js';

export type PipelineInput = Frame | EmbeddedSecrets | NoSecrets | LoopbackHosts | Notice | CaptureReport;

/** What is said of frames, in order. */
export type StreamItem =
  | StreamEvent
  | InitialSequenceNumbers
  | StreamBytes
  | EmbeddedSecrets
  | NoSecrets
  | Notice
  | CaptureReport;

/** What two parts of the pipeline say to each other beside their items. */
export interface CaptureFacts {
  /** Before anything else: time of the first frame, ns since the epoch. */
  firstFrame(time: bigint): void;
  /** Times of this capture have nine digits from here on. */
  hasNanoseconds(capture: number): void;
}

/** Takes what `Streams` says; the bytes of an item are borrowed until `item` returns. */
export interface StreamSink extends CaptureFacts {
  item(item: StreamItem): void;
  /**
   * After each frame: what happened before `time` (ns) was said, unless somebody behind holds it; nobody is waited for
   * that holds what happened before `limit`. Both only grow, until the clock is set back: then `limit` is lower than before,
   * and nothing was said since the call before this one.
   */
  settled(time: bigint, limit: bigint): void;
  /**
   * ns: `settled` with this `time`, or an earlier one, changes nothing, so it is not told; absent: it always is. Most
   * packets release nothing, and asking costs less than telling.
   */
  readonly quietUntil?: bigint;
}

export interface StreamsOptions {
  /** Messages are wanted as soon as they are seen: nothing is held for order or causes. */
  readonly live?: boolean;
  /** Makes an MD5, where the bytes of every connection are to be hashed. */
  readonly newHash?: () => Hash;
}

export class TcpStage {
  readonly #sink: StreamSink;
  readonly #packets = packetDecoder();
  readonly #duplicates = duplicateFilter();
  readonly #loopbacks = new LoopbackFlows();
  readonly #tcp: TcpReassembler = tcpReassembler({ isPlausible: () => this.#packets.isPlausible() });
  readonly #numbered = withNumbers(this.#tcp);
  readonly #digest: StreamDigest;
  readonly #live: boolean;
  /** ns from what is said to be settled to now. */
  readonly #slack: bigint;
  readonly #nanoseconds = new Set<number>();
  #now = 0n;
  #begun = false;
  /** The time that `elapsed` said it was, if no frame came since. */
  #elapsed: bigint | null = null;
  /** `quietUntil` as it was last, and the time that it is when something is settled beyond it. */
  #quietUntil = 0n;
  #quietNow: bigint;

  constructor(options: StreamsOptions, sink: StreamSink) {
    this.#sink = sink;
    this.#live = options.live ?? false;
    this.#slack = this.#live ? -1n : ORDER_SLACK_NS;
    this.#quietNow = this.#quietUntil + this.#slack;
    this.#digest = streamDigest(options.newHash ?? null);
  }

  feed(input: PipelineInput): void {
    if (input.kind === 'loopback-hosts') {
      this.#loopbacks.setHosts(input.hosts);
      return;
    }
    if (input.kind !== 'frame') {
      this.#sink.item(input);
      return;
    }
    const { time, capture } = input.origin;
    if (input.digits === 9 && !this.#nanoseconds.has(capture)) {
      this.#nanoseconds.add(capture);
      this.#sink.hasNanoseconds(capture);
    }
    if (!this.#begun) {
      this.#begun = true;
      this.#sink.firstFrame(time);
    }
    if (time > this.#now) this.#now = time;
    else if (time < this.#now - CLOCK_STEP_NS) this.#setBack(time);
    if (this.#elapsed !== null) this.#elapsed = null;
    const segment = this.#packets.read(input);
    if (segment === null) this.#unreachable();
    else if (!this.#duplicates.drops(segment)) this.#unique(this.#loopbacks.assign(segment));
    this.#passed();
  }

  /** Tells what was left out of `settled`, for one who needs the very time. */
  tellSettled(): void {
    if (this.#begun) this.#settled(this.#elapsed ?? this.#now);
  }

  /** For `quiet` ns nothing was captured. @returns the time that it is now, ns since the epoch. */
  elapsed(quiet: bigint): bigint {
    const now = this.#now + quiet;
    this.#elapsed = now;
    this.#settled(now);
    return now;
  }

  end(): void {
    for (const item of this.#packets.end()) this.#sink.item(item);
    for (const item of this.#duplicates.end()) this.#sink.item(item);
    for (const item of this.#numbered.end()) this.#reassembled(item);
    for (const item of this.#digest.end()) this.#sink.item(item);
  }

  #unique(segment: Segment): void {
    const said = this.#numbered.feed(segment);
    for (let i = 0; i < said.length; i++) this.#reassembled(said[i]);
  }

  /** The clock was set back: frames stand in the order of capture, so all that came before is older than what follows. */
  #setBack(time: bigint): void {
    this.#sink.settled(this.#now + 1n, this.#now + 1n);
    this.#now = time;
    this.#settled(time);
  }

  #unreachable(): void {
    const { unreachable } = this.#packets;
    if (unreachable === null) return;
    const said = this.#tcp.unreachable(unreachable);
    if (said !== null) this.#sink.item(said);
  }

  #reassembled(item: StreamEvent | Notice | InitialSequenceNumbers): void {
    if (item.kind === 'data') {
      this.#digest.count(item);
      this.#sink.item(item);
    } else if (item.kind === 'numbers') this.#sink.item(item);
    else {
      const tapped = this.#digest.feed(item);
      for (let i = 0; i < tapped.length; i++) this.#sink.item(tapped[i]);
    }
  }

  /** After a frame. */
  #passed(): void {
    const quiet = this.#sink.quietUntil;
    if (quiet !== undefined) {
      if (quiet !== this.#quietUntil) {
        this.#quietUntil = quiet;
        this.#quietNow = quiet + this.#slack;
      }
      // What is settled is never later than the slack allows, whoever holds something.
      if (this.#now <= this.#quietNow) return;
    }
    this.#settled(this.#now);
  }

  #settled(now: bigint): void {
    if (this.#live) {
      this.#sink.settled(now + 1n, now + 1n);
      return;
    }
    const held = this.#tcp.heldSince();
    const settled = now - ORDER_SLACK_NS;
    this.#sink.settled(held !== undefined && held < settled ? held : settled, now - ORDER_LIMIT_NS);
  }
}

/** A hole that is not filled for so long is one in a capture of one direction: nothing waits for it any more. */
const ORDER_LIMIT_NS = 10_000_000_000n;
