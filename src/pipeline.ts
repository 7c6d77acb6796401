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
import { type TcpReassembler, tcpReassembler } from './tcp/reassembler.js';
import type { StreamBytes, StreamEvent } from './tcp/stream-event.js';
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

export class Pipeline implements Stage<PipelineInput, PipelineItem> {
  readonly #packets = packetDecoder();
  readonly #duplicates = duplicateFilter();
  readonly #tcp: TcpReassembler = tcpReassembler();
  readonly #digest: Stage<StreamEvent | Notice, StreamEvent | Notice | StreamBytes>;
  readonly #secrets: SecretStore = secretStore();
  readonly #tls: TlsStage;
  readonly #connections = route<StreamEvent, Spoken, number>(
    (event) => event.connection.id,
    (first) => openConnection(first),
    (event) => event.kind === 'closed' && event.from === null,
  );
  readonly #order = new ReorderBuffer<ExchangeEvent>();
  readonly #interpreter: Interpreter;
  readonly #live: boolean;
  readonly #nanoseconds = new Set<number>();
  #out: PipelineItem[] = [];
  #now = 0n;
  #first: bigint | null = null;

  constructor(options: PipelineOptions = {}) {
    this.#live = options.live ?? false;
    options.keyLogs?.forEach((text, i) => {
      this.#secrets.add(text, `key log ${i}`);
    });
    this.#out.push(...this.#secrets.end());
    this.#tls = tlsStage(this.#secrets, { progress: options.progress });
    this.#digest = streamDigest(options.newHash ?? null);
    this.#interpreter = interpreter({
      redaction: options.showSecrets === true ? showing : redacting,
      naming: options.naming,
      bodies: options.bodies,
      ...(this.#live ? { holdNs: 0n } : null),
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
    if (input.kind === 'frame') {
      if (input.digits === 9) this.#nanoseconds.add(input.origin.capture);
      this.#first ??= input.origin.time;
      if (input.origin.time > this.#now) this.#now = input.origin.time;
      for (const item of this.#packets.feed(input)) this.#segment(item);
      this.#release();
    } else if (input.kind === 'secrets') this.#secrets.add(`${input.keyLog}\n`, 'capture');
    else this.#out.push(input);
    return this.#taken();
  }

  end(): readonly PipelineItem[] {
    for (const item of this.#packets.end()) this.#segment(item);
    for (const item of this.#duplicates.end()) this.#unique(item);
    for (const item of this.#tcp.end()) this.#stream(item);
    for (const item of this.#digest.end()) this.#tapped(item);
    this.#out.push(...this.#secrets.end());
    for (const item of this.#tls.end()) this.#plain(item);
    for (const item of this.#connections.end()) this.#spoken(item);
    for (const event of this.#order.releaseAll()) this.#interpret(this.#interpreter.feed(event));
    this.#interpret(this.#interpreter.end());
    return this.#taken();
  }

  #segment(item: Segment | Notice): void {
    if (item.kind === 'notice') this.#out.push(item);
    else for (const unique of this.#duplicates.feed(item)) this.#unique(unique);
  }

  #unique(item: Segment | Notice): void {
    if (item.kind === 'notice') this.#out.push(item);
    else for (const event of this.#tcp.feed(item)) this.#stream(event);
  }

  #stream(item: StreamEvent | Notice): void {
    for (const tapped of this.#digest.feed(item)) this.#tapped(tapped);
  }

  #tapped(item: StreamEvent | Notice | StreamBytes): void {
    if (item.kind === 'notice' || item.kind === 'stream-bytes') this.#out.push(item);
    else for (const plain of this.#tls.feed(item)) this.#plain(plain);
  }

  #plain(item: StreamEvent | Notice): void {
    if (item.kind === 'notice') this.#out.push(item);
    else for (const spoken of this.#connections.feed(item)) this.#spoken(spoken);
  }

  #spoken(item: Spoken): void {
    if (item.kind === 'notice' || item.kind === 'protocol') this.#out.push(item);
    else this.#order.push(item);
  }

  /** What can no longer be overtaken by something older goes on. */
  #release(): void {
    let settled = this.#now + 1n;
    if (!this.#live) {
      settled = this.#now - ORDER_SLACK_NS;
      for (const held of [this.#tcp.heldSince(), this.#tls.heldSince()]) {
        if (held !== undefined && held < settled) settled = held;
      }
      if (settled < this.#now - ORDER_LIMIT_NS) settled = this.#now - ORDER_LIMIT_NS;
    }
    for (const event of this.#order.release(settled)) this.#interpret(this.#interpreter.feed(event));
  }

  #interpret(made: readonly (Message | Notice)[]): void {
    for (const item of made) this.#out.push(isNotice(item) ? item : { kind: 'message', message: item });
  }

  #taken(): readonly PipelineItem[] {
    const out = this.#out;
    if (out.length === 0) return out;
    this.#out = [];
    return out;
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
