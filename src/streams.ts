// The first third of the pipeline: frames become the bytes of TCP connections. It knows the order of these stages, and
// nothing of what is said on a connection; who hears it may be elsewhere.

import type { CaptureReport, EmbeddedSecrets, Frame } from './capture/frame.js';
import type { Notice } from './core/notice.js';
import type { Stage } from './core/stage.js';
import { duplicateFilter } from './packet/duplicates.js';
import { packetDecoder } from './packet/packet-decoder.js';
import type { Segment } from './packet/segment.js';
import { type Hash, streamDigest } from './tcp/digest.js';
import { withNumbers } from './tcp/numbers.js';
import { type TcpReassembler, tcpReassembler } from './tcp/reassembler.js';
import type { StreamBytes, StreamEvent, StreamNumbers } from './tcp/stream-event.js';

export type PipelineInput = Frame | EmbeddedSecrets | Notice | CaptureReport;

/** What is said of frames, in order. */
export type StreamItem = StreamEvent | StreamNumbers | StreamBytes | EmbeddedSecrets | Notice | CaptureReport;

/** What two parts of the pipeline say to each other beside their items. */
export interface Places {
  /** Before anything else: time of the first frame, ns since the epoch. */
  began(time: bigint): void;
  /** Times of this capture have nine digits from here on. */
  nanoseconds(capture: number): void;
}

/** Takes what `Streams` says; the bytes of an item are borrowed until `item` returns. */
export interface StreamSink extends Places {
  item(item: StreamItem): void;
  /**
   * After each frame: what happened before `time` (ns) was said, unless somebody behind holds it; nobody is waited for
   * that holds what happened before `limit`.
   */
  settled(time: bigint, limit: bigint): void;
}

export interface StreamsOptions {
  /** Messages are wanted as soon as they are seen: nothing is held for order or causes. */
  readonly live?: boolean;
  /** Makes an MD5, where the bytes of every connection are to be hashed. */
  readonly newHash?: () => Hash;
}

export class Streams {
  readonly #sink: StreamSink;
  readonly #packets = packetDecoder();
  readonly #duplicates = duplicateFilter();
  readonly #tcp: TcpReassembler = tcpReassembler();
  readonly #numbered = withNumbers(this.#tcp);
  readonly #digest: Stage<StreamEvent | Notice, StreamEvent | Notice | StreamBytes>;
  readonly #live: boolean;
  readonly #nanoseconds = new Set<number>();
  #now = 0n;
  #begun = false;

  constructor(options: StreamsOptions, sink: StreamSink) {
    this.#sink = sink;
    this.#live = options.live ?? false;
    this.#digest = streamDigest(options.newHash ?? null);
  }

  feed(input: PipelineInput): void {
    if (input.kind !== 'frame') {
      this.#sink.item(input);
      return;
    }
    const { time, capture } = input.origin;
    if (input.digits === 9 && !this.#nanoseconds.has(capture)) {
      this.#nanoseconds.add(capture);
      this.#sink.nanoseconds(capture);
    }
    if (!this.#begun) {
      this.#begun = true;
      this.#sink.began(time);
    }
    if (time > this.#now) this.#now = time;
    for (const item of this.#packets.feed(input)) this.#segment(item);
    this.#settled(this.#now);
  }

  /** For `quiet` ns nothing was captured. @returns the time that it is now, ns since the epoch. */
  elapsed(quiet: bigint): bigint {
    const now = this.#now + quiet;
    this.#settled(now);
    return now;
  }

  end(): void {
    for (const item of this.#packets.end()) this.#segment(item);
    for (const item of this.#duplicates.end()) this.#unique(item);
    for (const item of this.#numbered.end()) this.#reassembled(item);
    for (const item of this.#digest.end()) this.#sink.item(item);
  }

  #segment(item: Segment | Notice): void {
    if (item.kind === 'notice') this.#sink.item(item);
    else for (const unique of this.#duplicates.feed(item)) this.#unique(unique);
  }

  #unique(item: Segment | Notice): void {
    if (item.kind === 'notice') this.#sink.item(item);
    else for (const event of this.#numbered.feed(item)) this.#reassembled(event);
  }

  #reassembled(item: StreamEvent | Notice | StreamNumbers): void {
    if (item.kind === 'numbers') this.#sink.item(item);
    else for (const tapped of this.#digest.feed(item)) this.#sink.item(tapped);
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

/** Captures of several interfaces are out of order by milliseconds; what a connection speaks is known within a second. */
const ORDER_SLACK_NS = 1_000_000_000n;
/** A hole that is not filled for so long is one in a capture of one direction: nothing waits for it any more. */
const ORDER_LIMIT_NS = 10_000_000_000n;
