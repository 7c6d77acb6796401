// The one file that knows the order of the stages: frames go in, messages come out, with notices and reports between.
// No I/O: who calls it reads the files and prints what comes.

import type { CaptureReport, EmbeddedSecrets, Frame } from './capture/frame.js';
import type { Notice } from './core/notice.js';
import { ReorderBuffer } from './core/reorder.js';
import { route } from './core/route.js';
import { pipe, type Stage } from './core/stage.js';
import { httpDetect } from './http/detect.js';
import type { ExchangeEvent } from './http/exchange-event.js';
import { exchanges } from './http/exchanges.js';
import type { HttpEvent, ProtocolFound } from './http/http-event.js';
import { PROTOCOLS } from './http/protocols.js';
import { bodyFraming } from './kubernetes/framing.js';
import { type Interpreter, interpreter } from './kubernetes/interpreter.js';
import type { Message } from './kubernetes/message.js';
import type { NamingRule, Speakers } from './kubernetes/speakers.js';
import { duplicateFilter } from './packet/duplicates.js';
import { packetDecoder } from './packet/packet-decoder.js';
import type { Segment } from './packet/segment.js';
import { redacting, showing } from './redaction/redaction.js';
import type { SavedCapture } from './saved/saved.js';
import { type Hash, streamDigest } from './tcp/digest.js';
import { withNumbers } from './tcp/numbers.js';
import { type TcpReassembler, tcpReassembler } from './tcp/reassembler.js';
import type { StreamBytes, StreamEvent, StreamNumbers } from './tcp/stream-event.js';
import { type SecretStore, secretStore } from './tls/key-log.js';
import { type TlsStage, tlsStage } from './tls/tls-stage.js';

export interface PipelineOptions {
  /** Turns redaction off. */
  readonly showSecrets?: boolean;
  /** Messages keep their heads and bodies, decoded when asked; without it memory stays flat. */
  readonly bodies?: boolean;
  /** A user's own names for participants. */
  readonly naming?: readonly NamingRule[];
  /** Messages are wanted as soon as they are seen: nothing is held for order or causes. */
  readonly live?: boolean;
  /** Text of NSS key logs; secrets inside the captures need none. */
  readonly keyLogs?: readonly string[];
  /** Told about the work of opening connections that are older than the capture. */
  readonly progress?: (work: number, limit: number) => void;
  /** Makes an MD5, where the bytes of every connection are to be hashed. */
  readonly newHash?: () => Hash;
}

export type PipelineInput = Frame | EmbeddedSecrets | Notice | CaptureReport;
export type PipelineItem =
  | { readonly kind: 'message'; readonly message: Message }
  | Notice
  | CaptureReport
  | StreamBytes
  | ProtocolFound
  | SavedCapture;

type Heard = HttpEvent | ProtocolFound | Notice;
type Spoken = ExchangeEvent | ProtocolFound | Notice;

/** What the first half of the pipeline says of frames. */
export type StreamItem = StreamEvent | Notice | CaptureReport | StreamBytes | StreamNumbers;

/** Takes what the first half says; the bytes of an item are borrowed until `item` returns. */
export interface StreamSink {
  item(item: StreamItem): void;
  /** Whatever happened before `time` (ns) was said; to be asked after each frame. */
  settled(time: bigint): void;
  /** Before anything else: time of the first frame, ns since the epoch. */
  began(time: bigint): void;
  /** Times of this capture have nine digits from here on. */
  nanoseconds(capture: number): void;
}

/** The first half: frames become the readable bytes of connections. It knows nothing of the second, which may be elsewhere. */
export class Streams {
  readonly #sink: StreamSink;
  readonly #packets = packetDecoder();
  readonly #duplicates = duplicateFilter();
  readonly #tcp: TcpReassembler = tcpReassembler();
  readonly #numbered = withNumbers(this.#tcp);
  readonly #digest: Stage<StreamEvent | Notice, StreamEvent | Notice | StreamBytes>;
  readonly #secrets: SecretStore = secretStore();
  readonly #tls: TlsStage;
  readonly #live: boolean;
  readonly #nanoseconds = new Set<number>();
  #now = 0n;
  #begun = false;

  constructor(options: PipelineOptions, sink: StreamSink) {
    this.#sink = sink;
    this.#live = options.live ?? false;
    options.keyLogs?.forEach((text, i) => {
      this.#secrets.add(text, `key log ${i}`);
    });
    for (const item of this.#secrets.end()) sink.item(item);
    this.#tls = tlsStage(this.#secrets, { progress: options.progress });
    this.#digest = streamDigest(options.newHash ?? null);
  }

  feed(input: PipelineInput): void {
    if (input.kind === 'frame') {
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
      this.#sink.settled(this.#settled());
    } else if (input.kind === 'secrets') this.#secrets.add(`${input.keyLog}\n`, 'capture');
    else this.#sink.item(input);
  }

  /** For `quiet` ns nothing was captured. @returns the time that it is now, ns since the epoch. */
  elapsed(quiet: bigint): bigint {
    this.#sink.settled(this.#settled(quiet));
    return this.#now + quiet;
  }

  /** More text of a key log that grows while the capture is read; its last line may be cut. */
  addSecrets(text: string): void {
    this.#secrets.add(text, 'growing key log');
    for (const item of this.#tls.wake()) this.#sink.item(item);
    this.#sink.settled(this.#settled());
  }

  end(): void {
    for (const item of this.#packets.end()) this.#segment(item);
    for (const item of this.#duplicates.end()) this.#unique(item);
    for (const item of this.#numbered.end()) this.#reassembled(item);
    for (const item of this.#digest.end()) this.#tapped(item);
    for (const item of this.#secrets.end()) this.#sink.item(item);
    for (const item of this.#tls.end()) this.#sink.item(item);
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
    else this.#stream(item);
  }

  #stream(item: StreamEvent | Notice): void {
    for (const tapped of this.#digest.feed(item)) this.#tapped(tapped);
  }

  #tapped(item: StreamEvent | Notice | StreamBytes): void {
    if (item.kind === 'notice' || item.kind === 'stream-bytes') this.#sink.item(item);
    else for (const plain of this.#tls.feed(item)) this.#sink.item(plain);
  }

  /** What can no longer be overtaken by something older. */
  #settled(quiet = 0n): bigint {
    const now = this.#now + quiet;
    if (this.#live) return now + 1n;
    let settled = now - ORDER_SLACK_NS;
    const tcp = this.#tcp.heldSince();
    const tls = this.#tls.heldSince();
    if (tcp === undefined && tls === undefined) return settled;
    if (tcp !== undefined && tcp < settled) settled = tcp;
    if (tls !== undefined && tls < settled) settled = tls;
    return settled < now - ORDER_LIMIT_NS ? now - ORDER_LIMIT_NS : settled;
  }
}

/** The whole of it; or the second half alone, for one who has the first half elsewhere and hands on what that says. */
export class Pipeline implements Stage<PipelineInput, PipelineItem>, StreamSink {
  readonly #options: PipelineOptions;
  /** Made when it is first fed: whoever has the first half elsewhere needs none. */
  #streams: Streams | null = null;
  readonly #connections = route<StreamEvent, Spoken, number>(
    (event) => event.connection.id,
    (first) => openConnection(first),
    (event) => event.kind === 'closed' && event.from === null,
  );
  readonly #order = new ReorderBuffer<ExchangeEvent>();
  readonly #interpreter: Interpreter;
  readonly #nanoseconds = new Set<number>();
  #out: PipelineItem[] = [];
  #first: bigint | null = null;

  constructor(options: PipelineOptions = {}) {
    this.#options = options;
    this.#interpreter = interpreter({
      redaction: options.showSecrets === true ? showing : redacting,
      naming: options.naming,
      bodies: options.bodies,
      ...(options.live === true ? { holdNs: 0n } : null),
    });
  }

  /** ns since the epoch: the first frame; null before it. */
  get firstTime(): bigint | null {
    return this.#first;
  }

  /** Digits of a second's fraction that a capture's times have: 9 as soon as one of them needs them. */
  digits(capture: number): 6 | 9 {
    return this.#nanoseconds.has(capture) ? 9 : 6;
  }

  get speakers(): Speakers {
    return this.#interpreter.speakers;
  }

  feed(input: PipelineInput): readonly PipelineItem[] {
    this.#streams ??= new Streams(this.#options, this);
    this.#streams.feed(input);
    return this.taken();
  }

  /** For `quiet` ns nothing was captured: what only waited for something older or for its cause waits no longer. */
  elapsed(quiet: bigint): readonly PipelineItem[] {
    if (this.#streams !== null) this.#interpret(this.#interpreter.settle(this.#streams.elapsed(quiet)));
    return this.taken();
  }

  /** More text of a key log that grows while the capture is read: connections that wait for it are read on at once. */
  addSecrets(text: string): readonly PipelineItem[] {
    this.#streams ??= new Streams(this.#options, this);
    this.#streams.addSecrets(text);
    return this.taken();
  }

  end(): readonly PipelineItem[] {
    this.#streams ??= new Streams(this.#options, this);
    this.#streams.end();
    this.over();
    return this.taken();
  }

  // ── the second half ──

  item(item: StreamItem): void {
    if (item.kind === 'notice' || item.kind === 'stream-bytes' || item.kind === 'capture-report') this.#out.push(item);
    else if (item.kind === 'numbers') this.#interpreter.numbered(item);
    else for (const spoken of this.#connections.feed(item)) this.#spoken(spoken);
  }

  settled(time: bigint): void {
    for (const event of this.#order.release(time)) this.#interpret(this.#interpreter.feed(event));
  }

  began(time: bigint): void {
    this.#first = time;
  }

  nanoseconds(capture: number): void {
    this.#nanoseconds.add(capture);
  }

  /** The first half has said all. */
  over(): void {
    for (const item of this.#connections.end()) this.#spoken(item);
    for (const event of this.#order.releaseAll()) this.#interpret(this.#interpreter.feed(event));
    this.#interpret(this.#interpreter.end());
  }

  /** What came of all that since the last time. */
  taken(): readonly PipelineItem[] {
    const out = this.#out;
    if (out.length === 0) return out;
    this.#out = [];
    return out;
  }

  #spoken(item: Spoken): void {
    if (item.kind === 'notice' || item.kind === 'protocol') this.#out.push(item);
    else this.#order.push(item);
  }

  #interpret(made: readonly (Message | Notice)[]): void {
    for (const item of made) this.#out.push(isNotice(item) ? item : { kind: 'message', message: item });
  }
}

function openConnection(first: StreamEvent): Stage<StreamEvent, Spoken> {
  return pipe<StreamEvent, Heard, never, Spoken>(
    httpDetect(PROTOCOLS)(first.connection),
    isAnything,
    exchanges({ framing: bodyFraming }),
  );
}

function isAnything(item: Heard): item is Heard {
  return item !== undefined;
}

function isNotice(item: Message | Notice): item is Notice {
  return item.kind === 'notice';
}

/** Captures of several interfaces are out of order by milliseconds; what a connection speaks is known within a second. */
const ORDER_SLACK_NS = 1_000_000_000n;
/** A hole that is not filled for so long is one in a capture of one direction: nothing waits for it any more. */
const ORDER_LIMIT_NS = 10_000_000_000n;
