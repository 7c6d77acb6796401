// Runs the stages from frames to the bytes of TCP connections, in their order.

import type { CaptureReport, EmbeddedSecrets, Frame, LoopbackHosts, NoSecrets } from '../capture/frame.js';
import type { PacketNote } from '../capture/packet-note.js';
import { RecentMap } from '../core/collections/bounded.js';
import { CLOCK_STEP_NS } from '../core/frame-order.js';
import type { Notice } from '../core/notice.js';
import { ORDER_SLACK_NS, type Origin } from '../core/origin.js';
import type { SocketOwner } from '../core/socket-owner.js';
import { duplicateFilter } from '../packet/duplicates.js';
import { LoopbackFlows } from '../packet/loopbacks.js';
import { type PacketDecoder, packetDecoder } from '../packet/packet-decoder.js';
import { PktapProcesses } from '../packet/pktap-processes.js';
import type { Segment } from '../packet/segment.js';
import type { TunnelPorts } from '../packet/tunnels.js';
import { Deliveries, type LostTime } from '../tcp/delivery.js';
import { type Hash, type StreamDigest, streamDigest } from '../tcp/digest.js';
import { withNumbers } from '../tcp/initial-sequence-numbers.js';
import { type TcpReassembler, tcpReassembler } from '../tcp/reassembler.js';
import type { InitialSequenceNumbers, StreamBytes, StreamEvent } from '../tcp/stream-event.js';
import { clientHelloWords } from '../tls/client-hello.js';

export type PipelineInput = Frame | EmbeddedSecrets | NoSecrets | LoopbackHosts | Notice | CaptureReport;

/** Items of the stage, in order. */
export type StreamItem =
  | StreamEvent
  | InitialSequenceNumbers
  | StreamBytes
  | LostTime
  | SocketOwner
  | EmbeddedSecrets
  | NoSecrets
  | Notice
  | CaptureReport;

/** Receives the items of the stage; the bytes of an item are borrowed until `item` returns. */
export interface StreamSink {
  item(item: StreamItem): void;
  /**
   * Watermark, after each frame: all events before `time` (ns) have been emitted, except those a later stage buffers; events before
   * `limit` are not waited for at all. Both only grow, until the clock is set back: then `limit` is lower than before, and no item was
   * emitted since the previous call.
   */
  watermark(time: bigint, limit: bigint): void;
  /**
   * ns: a watermark up to this `time` has no effect and is not reported; absent: every watermark is reported. Most packets release
   * nothing, and reading this costs less than a call.
   */
  readonly idleUntil?: bigint;
}

export interface TcpStageOptions {
  /** Messages are emitted at once: nothing is held for order or causes. */
  readonly live?: boolean;
  /** Tunnels on UDP ports of their own. */
  readonly tunnels?: TunnelPorts | undefined;
  /** Creates an MD5, if the bytes of every connection are to be hashed. */
  readonly newHash?: () => Hash;
}

export class TcpStage {
  readonly #sink: StreamSink;
  readonly #packets: PacketDecoder;
  readonly #processes = new PktapProcesses();
  readonly #duplicates = duplicateFilter();
  readonly #loopbacks = new LoopbackFlows();
  readonly #tcp: TcpReassembler = tcpReassembler({ isPlausible: () => this.#packets.isPlausible() });
  readonly #numbered = withNumbers(this.#tcp);
  readonly #deliveries = new Deliveries(clientHelloWords);
  #last: Origin | null = null;
  readonly #digest: StreamDigest;
  readonly #live: boolean;
  /** ns from the watermark to now. */
  readonly #slack: bigint;
  /** By end of a connection: the process that was reported last. */
  readonly #owners = new RecentMap<string, number>(MAX_OWNERS);
  #now = 0n;
  /** The time of the last `elapsed`, if no frame came since. */
  #elapsed: bigint | null = null;
  /** The sink's `idleUntil` as last read, and the time at which the watermark passes it. */
  #idleUntil = 0n;
  #idleNow: bigint;

  constructor(options: TcpStageOptions, sink: StreamSink) {
    this.#sink = sink;
    this.#packets = packetDecoder(options.tunnels);
    this.#live = options.live ?? false;
    this.#slack = this.#live ? -1n : ORDER_SLACK_NS;
    this.#idleNow = this.#idleUntil + this.#slack;
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
    const { time } = input.origin;
    if (time > this.#now) this.#now = time;
    else if (time < this.#now - CLOCK_STEP_NS) this.#setBack(time);
    if (this.#elapsed !== null) this.#elapsed = null;
    const segment = this.#packets.read(input);
    if (segment !== null) {
      const noted = input.noted ?? this.#processes.noteOf(input, segment);
      if (noted !== null) this.#noteOwner(noted, segment);
    }
    if (segment === null) this.#unreachable();
    else if (!this.#duplicates.drops(segment, this.#packets)) this.#unique(this.#loopbacks.assign(segment));
    this.#afterFrame();
  }

  /** Reports the watermark even if the sink is idle, for callers that need the exact time. */
  emitWatermark(): void {
    this.#reportWatermark(this.#elapsed ?? this.#now);
  }

  /** Nothing was captured for `quiet` ns. @returns the current time, ns since the epoch. */
  elapsed(quiet: bigint): bigint {
    const now = this.#now + quiet;
    this.#elapsed = now;
    this.#reportWatermark(now);
    return now;
  }

  end(): void {
    for (const item of this.#packets.end()) this.#sink.item(item);
    for (const item of this.#duplicates.end()) this.#sink.item(item);
    for (const item of this.#deliveries.end(this.#last)) this.#sink.item(item);
    for (const item of this.#numbered.end()) this.#reassembled(item);
    for (const item of this.#digest.end()) this.#sink.item(item);
  }

  /** The process of a packet in a tunnel may be the one of the tunnel. */
  #noteOwner({ end, process: owner }: PacketNote, { flow, origin }: Segment): void {
    if (this.#packets.isTunnelled) return;
    const { address, port } = flow[end];
    const key = `${address} ${port}`;
    if (this.#owners.get(key) === owner.pid) return;
    this.#owners.set(key, owner.pid);
    this.#sink.item({ kind: 'socket-owner', address, port, process: owner, origin });
  }

  #unique(segment: Segment): void {
    this.#last = segment.origin;
    const delivered = this.#deliveries.feed(segment);
    for (let i = 0; i < delivered.length; i++) this.#sink.item(delivered[i]);
    const items = this.#numbered.feed(segment);
    for (let i = 0; i < items.length; i++) this.#reassembled(items[i]);
  }

  /** The clock was set back. Frames come in the order of capture, so everything before is older than everything that follows. */
  #setBack(time: bigint): void {
    this.#sink.watermark(this.#now + 1n, this.#now + 1n);
    this.#now = time;
    this.#reportWatermark(time);
  }

  #unreachable(): void {
    const { unreachable } = this.#packets;
    if (unreachable === null) return;
    const items = this.#tcp.unreachable(unreachable);
    if (items !== null) this.#sink.item(items);
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

  /** Reports the watermark after a frame, unless the sink is idle. */
  #afterFrame(): void {
    const idleUntil = this.#sink.idleUntil;
    if (idleUntil !== undefined) {
      if (idleUntil !== this.#idleUntil) {
        this.#idleUntil = idleUntil;
        this.#idleNow = idleUntil + this.#slack;
      }
      // Events that a stage holds move the watermark only back, never beyond the slack.
      if (this.#now <= this.#idleNow) return;
    }
    this.#reportWatermark(this.#now);
  }

  #reportWatermark(now: bigint): void {
    if (this.#live) {
      this.#sink.watermark(now + 1n, now + 1n);
      return;
    }
    const held = this.#tcp.heldSince();
    const settled = now - ORDER_SLACK_NS;
    this.#sink.watermark(held !== undefined && held < settled ? held : settled, now - ORDER_LIMIT_NS);
  }
}

/** Limit: ends of connections whose process is remembered, to report it once; more are reported again. */
const MAX_OWNERS = 65_536;
/** Limit in ns: capture time that what follows waits behind a hole: one that stays this long is missing from the capture. */
const ORDER_LIMIT_NS = 10_000_000_000n;
