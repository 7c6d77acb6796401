// Turns frames into messages with notices and reports: runs the TCP and exchange stages, orders exchanges by time and interprets them.

import type { CaptureReport } from '../capture/frame.js';
import { BoundedSet, keptBy } from '../core/collections/bounded.js';
import { ReorderBuffer } from '../core/collections/reorder.js';
import type { ConnectionEnd } from '../core/connection-end.js';
import { clientOf, serverOf } from '../core/connection-name.js';
import { Forgotten } from '../core/forgotten.js';
import { CLOCK_STEP_NS, FrameOrder } from '../core/frame-order.js';
import type { Notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Stage } from '../core/stage.js';
import type { ExchangeEvent } from '../http/exchange-event.js';
import type { ProtocolFound } from '../http/http-event.js';
import type { ControllerRule } from '../kubernetes/attributed/controllers.js';
import { MessageLinker } from '../kubernetes/emitted/message-links.js';
import { type Interpreter, interpreter } from '../kubernetes/interpreter.js';
import { ObjectStore } from '../kubernetes/lives/object-store.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { NamingRule } from '../kubernetes/placed/identity/participant-registry.js';
import { type Reveal, redactionOf } from '../redaction/redaction.js';
import type { SavedCapture } from '../saved/saved.js';
import type { Connection, StreamBytes } from '../tcp/stream-event.js';
import {
  type ConnectionItem,
  type ConnectionSink,
  ExchangeStage,
  type ExchangeStageOptions,
} from './exchange-stage.js';
import { type PipelineInput, TcpStage, type TcpStageOptions } from './tcp-stage.js';

export type { PipelineInput } from './tcp-stage.js';

export interface PipelineOptions extends TcpStageOptions, ExchangeStageOptions {
  /** Shows more than the redaction tables allow. */
  readonly reveal?: Reveal;
  /** Messages keep their heads and bodies, decoded on demand; without it memory stays flat. */
  readonly bodies?: boolean;
  /** false: nobody asks which object a message is about. */
  readonly lives?: boolean;
  /** A user's own names for participants. */
  readonly naming?: readonly NamingRule[];
  readonly controllers?: readonly ControllerRule[];
  /** Other limits of what is remembered, by its name, for tests. */
  readonly limitOf?: (what: string, limit: number) => number;
}

export type PipelineItem =
  | { readonly kind: 'message'; readonly message: Message }
  | Notice
  | CaptureReport
  | StreamBytes
  | ConnectionEnd
  | ProtocolFound
  | SavedCapture;

export class MessageStage implements Stage<PipelineInput, PipelineItem>, ConnectionSink {
  readonly #connections: ExchangeStage;
  readonly #streams: TcpStage;
  readonly #order = new ReorderBuffer<ExchangeEvent>();
  readonly #keys = new FrameOrder<Connection>();
  readonly #interpreter: Interpreter;
  /** Messages are linked to their objects. */
  readonly lives: boolean;
  readonly #links: MessageLinker;
  readonly #nanoseconds = new Set<number>();
  #out: PipelineItem[] = [];
  #first: bigint | null = null;
  /** Names of TLS connections, until one of them was decrypted. */
  readonly #tlsConnections = new BoundedSet<string>(MAX_TLS_CONNECTIONS, 'TLS connections');
  #hasDecrypted = false;
  readonly #forgotten: Forgotten;
  readonly #hostOf: (name: string) => string;

  constructor(options: PipelineOptions = {}) {
    this.#forgotten = new Forgotten((one) => this.#out.push(one), options.limitOf);
    const redaction = redactionOf(options.reveal);
    this.#hostOf = (name) => redaction.host(name);
    const { naming, controllers, bodies, live } = options;
    const holdNs = live === true ? 0n : undefined;
    this.#interpreter = this.keeping(() => interpreter({ redaction, naming, controllers, bodies, holdNs }));
    this.lives = options.lives !== false;
    this.#links = this.keeping(() => new MessageLinker(this.lives ? new ObjectStore() : null));
    this.#connections = new ExchangeStage(options, this);
    this.#streams = new TcpStage(options, this.#connections);
  }

  /** ns since the epoch: the first frame; null before it. */
  get firstTime(): bigint | null {
    return this.#first;
  }

  /** Fraction digits of a capture's times: 9 as soon as one of its times needs them. */
  digits(capture: number): 6 | 9 {
    return this.#nanoseconds.has(capture) ? 9 : 6;
  }

  /** Some message came from a TLS connection: some secrets fit the capture. */
  get hasDecrypted(): boolean {
    return this.#hasDecrypted;
  }

  /** Makes what reads other sources beside the stage: where it forgets, a notice among the stage's items says so. */
  keeping<T>(make: () => T): T {
    return keptBy(this.#forgotten, make);
  }

  feed(input: PipelineInput): readonly PipelineItem[] {
    this.push(input);
    return this.drain();
  }

  /** As `feed`, for callers that drain the items of many inputs at once. */
  push(input: PipelineInput): void {
    if (input.kind === 'frame') {
      const { capture, time } = input.origin;
      if (this.#first === null) this.#first = time;
      if (input.digits === 9 && !this.#nanoseconds.has(capture)) this.#nanoseconds.add(capture);
    }
    this.#streams.feed(input);
  }

  /** Number of items that `drain` would return. */
  get pending(): number {
    return this.#out.length;
  }

  /** Nothing was captured for `quiet` ns: items that only waited for older ones or for their cause wait no longer. */
  elapsed(quiet: bigint): readonly PipelineItem[] {
    this.#interpret(this.#interpreter.settle(this.#streams.elapsed(quiet)));
    return this.drain();
  }

  /** Adds text of a key log that grows while the capture is read; connections that wait for it continue at once. */
  addSecrets(text: string): readonly PipelineItem[] {
    this.#streams.emitWatermark();
    this.#connections.addSecrets(text);
    return this.drain();
  }

  end(): readonly PipelineItem[] {
    this.#streams.end();
    this.#connections.end();
    for (const event of this.#order.releaseAll()) this.#feed(event);
    this.#interpret(this.#interpreter.end());
    return this.drain();
  }

  item(item: ConnectionItem): void {
    switch (item.kind) {
      case 'notice':
        this.#out.push(item.code === 'dns.failed' ? withShownHost(item, this.#hostOf) : item);
        return;
      case 'stream-bytes':
      case 'connection-end':
      case 'capture-report':
      case 'protocol':
        this.#out.push(item);
        return;
      case 'numbers':
        this.#interpreter.onInitialSequenceNumbers(item);
        return;
      case 'lost-time':
        this.#interpreter.onLostTime(item);
        return;
      case 'socket-owner':
        this.#interpreter.onSocketOwner(item);
        return;
      case 'tls-established':
        this.#forgotten.at = item.origin;
        if (!this.#hasDecrypted) this.#rememberTls(item.connection.name);
        this.#interpreter.onTlsEstablished(item);
        return;
      case 'certificate':
        this.#forgotten.at = item.origin;
        this.#interpreter.onCertificate(item);
        return;
      default:
        this.#order.push(item, this.#sortKeyOf(item));
    }
  }

  /** Events after a request are never ordered before it, even if the clocks of the two directions disagree. */
  #sortKeyOf({ kind, exchange, at }: ExchangeEvent): Origin {
    const key = this.#keys.sortKeyOf(exchange.connection, at);
    if (kind === 'request') {
      exchange.requestKey = key;
      return key;
    }
    const request = exchange.requestKey;
    if (request === undefined) return key;
    const step = request.time - key.time;
    return step > 0n && step <= CLOCK_STEP_NS ? request : key;
  }

  get idleUntil(): bigint {
    return this.#order.quietUntil;
  }

  watermark(time: bigint, limit: bigint, held: bigint): void {
    const settled = held < time ? held : time;
    const until = settled < limit ? limit : settled;
    for (let event = this.#order.next(until); event !== undefined; event = this.#order.next(until)) this.#feed(event);
  }

  /** Items since the last call. */
  drain(): readonly PipelineItem[] {
    const out = this.#out;
    if (out.length === 0) return out;
    this.#out = [];
    return out;
  }

  /** Under both names, as the protocol may show that client and server are reversed. */
  #rememberTls(name: string): void {
    this.#tlsConnections.add(name).add(`${serverOf(name)}-${clientOf(name)}`);
  }

  #feed(event: ExchangeEvent): void {
    this.#forgotten.at = event.at;
    this.#interpret(keptBy(this.#forgotten, () => this.#interpreter.feed(event)));
  }

  #interpret(items: readonly (Message | Notice)[]): void {
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      if (item.kind === 'notice') this.#out.push(item);
      else {
        if (!this.#hasDecrypted) this.#hasDecrypted = this.#tlsConnections.has(item.connection);
        this.#out.push({ kind: 'message', message: this.#links.link(item) });
      }
    }
  }
}

/** @param failed whose detail begins with the name that DNS was asked for: `NAME: why`. */
function withShownHost(failed: Notice, hostOf: (name: string) => string): Notice {
  const [name] = (failed.detail ?? '').split(': ', 1);
  return { ...failed, detail: `${hostOf(name)}${failed.detail?.slice(name.length)}` };
}

/** Limit: TLS connections that are remembered until one of them was decrypted, to find whether any secrets fit: a few MB. */
const MAX_TLS_CONNECTIONS = 20_000;
