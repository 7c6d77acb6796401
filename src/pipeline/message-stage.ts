// Frames go in, messages come out, with notices and reports between: `Streams`, `Connections` and, here, what exchanges
// mean in their order. No I/O: who calls it reads the files and prints what comes.

import type { CaptureReport } from '../capture/frame.js';
import { ReorderBuffer } from '../core/collections/reorder.js';
import { clientOf, serverOf } from '../core/connection-name.js';
import { CLOCK_STEP_NS, FrameOrder } from '../core/frame-order.js';
import type { Notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Stage } from '../core/stage.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { ProtocolFound } from '../http/http-event.js';
import type { NamingRule, ParticipantRegistry } from '../kubernetes/identity/participant-registry.js';
import { type Interpreter, interpreter } from '../kubernetes/interpreter.js';
import type { Message } from '../kubernetes/messages/message.js';
import { type Reveal, redactionOf } from '../redaction/redaction.js';
import type { SavedCapture } from '../saved/saved.js';
import type { Connection, StreamBytes } from '../tcp/stream-event.js';
import { type ConnectionItem, type ConnectionSink, type ConnectionsOptions, ExchangeStage } from './exchange-stage.js';
import { type PipelineInput, type StreamsOptions, TcpStage } from './tcp-stage.js';

export type { PipelineInput } from './tcp-stage.js';

export interface PipelineOptions extends StreamsOptions, Omit<ConnectionsOptions, 'silentKeys'> {
  /** What is shown beyond what the tables of src/redaction allow. */
  readonly reveal?: Reveal;
  /** Messages keep their heads and bodies, decoded when asked; without it memory stays flat. */
  readonly bodies?: boolean;
  /** A user's own names for participants. */
  readonly naming?: readonly NamingRule[];
}

export type PipelineItem =
  | { readonly kind: 'message'; readonly message: Message }
  | Notice
  | CaptureReport
  | StreamBytes
  | ProtocolFound
  | SavedCapture;

/** The whole of it; or the last third alone, for one who has the others elsewhere and hands on what they say. */
export class MessageStage implements Stage<PipelineInput, PipelineItem>, ConnectionSink {
  readonly #options: PipelineOptions;
  /** Made when it is first fed: whoever has them elsewhere needs none. */
  #own: { readonly streams: TcpStage; readonly connections: ExchangeStage } | null = null;
  readonly #order = new ReorderBuffer<ExchangeEvent>();
  readonly #places = new FrameOrder<Connection>();
  /** Of each exchange: the place of its request. */
  readonly #requests = new WeakMap<Exchange, Origin>();
  readonly #interpreter: Interpreter;
  readonly #nanoseconds = new Set<number>();
  #out: PipelineItem[] = [];
  #first: bigint | null = null;
  /** Names of connections that speak TLS, until one of them was read. */
  readonly #secured = new Set<string>();
  #hasDecrypted = false;

  constructor(options: PipelineOptions = {}) {
    this.#options = options;
    this.#interpreter = interpreter({
      redaction: redactionOf(options.reveal),
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

  /** Some message came out of a TLS connection: there are secrets that fit the capture. */
  get hasDecrypted(): boolean {
    return this.#hasDecrypted;
  }

  get participants(): ParticipantRegistry {
    return this.#interpreter.participants;
  }

  feed(input: PipelineInput): readonly PipelineItem[] {
    this.hear(input);
    return this.taken();
  }

  /** As `feed`, for one who takes what comes of many inputs at once. */
  hear(input: PipelineInput): void {
    (this.#own ?? this.#parts()).streams.feed(input);
  }

  /** Items that `taken` would give. */
  get ready(): number {
    return this.#out.length;
  }

  /** For `quiet` ns nothing was captured: what only waited for something older or for its cause waits no longer. */
  elapsed(quiet: bigint): readonly PipelineItem[] {
    if (this.#own !== null) this.#interpret(this.#interpreter.settle(this.#own.streams.elapsed(quiet)));
    return this.taken();
  }

  /** More text of a key log that grows while the capture is read: connections that wait for it are read on at once. */
  addSecrets(text: string): readonly PipelineItem[] {
    const { streams, connections } = this.#parts();
    streams.tellSettled();
    connections.addSecrets(text);
    return this.taken();
  }

  end(): readonly PipelineItem[] {
    const { streams, connections } = this.#parts();
    streams.end();
    connections.end();
    this.over();
    return this.taken();
  }

  #parts(): { readonly streams: TcpStage; readonly connections: ExchangeStage } {
    if (this.#own === null) {
      const connections = new ExchangeStage(this.#options, this);
      this.#own = { streams: new TcpStage(this.#options, connections), connections };
    }
    return this.#own;
  }

  // ── the last third ──

  item(item: ConnectionItem): void {
    switch (item.kind) {
      case 'notice':
      case 'stream-bytes':
      case 'capture-report':
      case 'protocol':
        this.#out.push(item);
        return;
      case 'numbers':
        this.#interpreter.onInitialSequenceNumbers(item);
        return;
      case 'secured':
        if (!this.#hasDecrypted) this.#remember(item.connection.name);
        this.#interpreter.onTlsEstablished(item);
        return;
      case 'certificate':
        this.#interpreter.onCertificate(item);
        return;
      default:
        this.#order.push(item, this.#placeOf(item));
    }
  }

  /** Nothing of an exchange stands before its request that was heard after it, whatever clocks say of two directions. */
  #placeOf({ kind, exchange, at }: ExchangeEvent): Origin {
    const place = this.#places.placeOf(exchange.connection, at);
    if (kind === 'request') {
      this.#requests.set(exchange, place);
      return place;
    }
    const request = this.#requests.get(exchange);
    const step = request === undefined ? 0n : request.time - place.time;
    return request !== undefined && step > 0n && step <= CLOCK_STEP_NS ? request : place;
  }

  get quietUntil(): bigint {
    return this.#order.quietUntil;
  }

  settled(time: bigint, limit: bigint, held: bigint): void {
    const settled = held < time ? held : time;
    const until = settled < limit ? limit : settled;
    for (let event = this.#order.next(until); event !== undefined; event = this.#order.next(until))
      this.#interpret(this.#interpreter.feed(event));
  }

  firstFrame(time: bigint): void {
    this.#first = time;
  }

  hasNanoseconds(capture: number): void {
    this.#nanoseconds.add(capture);
  }

  /** The others have said all. */
  over(): void {
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

  /** What its sides say can show that they are the other way round. */
  #remember(secured: string): void {
    if (this.#secured.size >= MAX_SECURED) this.#secured.clear();
    this.#secured.add(secured).add(`${serverOf(secured)}-${clientOf(secured)}`);
  }

  #interpret(made: readonly (Message | Notice)[]): void {
    for (let i = 0; i < made.length; i++) {
      const item = made[i];
      if (isNotice(item)) this.#out.push(item);
      else {
        if (!this.#hasDecrypted) this.#hasDecrypted = this.#secured.has(item.connection);
        this.#out.push({ kind: 'message', message: item });
      }
    }
  }
}

function isNotice(item: Message | Notice): item is Notice {
  return item.kind === 'notice';
}

/** Connections that are remembered until one of them was read: a few MB. */
const MAX_SECURED = 20_000;
