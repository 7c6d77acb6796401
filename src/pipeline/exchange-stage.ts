// The second third of the pipeline: the bytes of connections become exchanges. Connections are independent of each
// other here, so several of this kind may share them. It knows TLS and HTTP, and nothing of what an exchange means.

import type { CaptureReport } from '../capture/frame.js';
import type { HeaderTables } from '../core/header-table.js';
import type { Notice } from '../core/notice.js';
import { MAX_TIME } from '../core/origin.js';
import { route } from '../core/route.js';
import { pipe, type Stage } from '../core/stage.js';
import { httpDetect } from '../http/detect.js';
import { exchanges } from '../http/exchange/exchanges.js';
import type { ExchangeEvent } from '../http/exchange-event.js';
import { MemberReaders } from '../http/framing/member-reader.js';
import type { HttpEvent, ProtocolFound } from '../http/http-event.js';
import { PROTOCOLS } from '../http/protocols.js';
import { bodyFraming } from '../kubernetes/api/framing.js';
import type {
  InitialSequenceNumbers,
  ServerCertificate,
  StreamBytes,
  StreamEvent,
  TlsEstablished,
} from '../tcp/stream-event.js';
import { type SecretStore, secretStore } from '../tls/key-log.js';
import { type TlsStage, tlsStage } from '../tls/tls-stage.js';
import type { CaptureFacts, StreamItem, StreamSink } from './tcp-stage.js';

type DetectorItem = HttpEvent | ProtocolFound | Notice;
type Spoken = ExchangeEvent | ProtocolFound | Notice;

/** What is said of connections, in order. */
export type ConnectionItem =
  | Spoken
  | InitialSequenceNumbers
  | TlsEstablished
  | ServerCertificate
  | StreamBytes
  | CaptureReport;

/** Takes what `Connections` says; bytes of tunnels are borrowed until `item` returns. */
export interface ConnectionSink extends CaptureFacts {
  item(item: ConnectionItem): void;
  /** As `StreamSink` hears it; `held`: ns, the oldest event that waits for its keys, FREE where none does. */
  settled(time: bigint, limit: bigint, held: bigint): void;
  /** As `StreamSink` has it. */
  readonly quietUntil?: bigint;
}

export interface ConnectionsOptions {
  /** Text of NSS key logs; secrets inside the captures need none. */
  readonly keyLogs?: readonly string[];
  /** Receives the work of opening connections that are older than the capture. */
  readonly progress?: (work: number, limit: number) => void;
  /**
   * More secrets may come than these and those of the captures at hand: by `addSecrets`, or from captures that follow. Then
   * records wait for them. Default false: where no capture can hold secrets either, what cannot be opened is given up at once.
   */
  readonly moreSecrets?: boolean;
  /** Another one with the same key logs says what is wrong with them. */
  readonly silentKeys?: boolean;
}

/** No event waits for its keys. */
export const FREE = MAX_TIME;

export class ExchangeStage implements StreamSink {
  readonly #sink: ConnectionSink;
  readonly #secrets: SecretStore = secretStore();
  readonly #silentKeys: boolean;
  readonly #moreSecrets: boolean;
  readonly #tls: TlsStage;
  readonly #readers = new MemberReaders();
  readonly #exchanges = route<StreamEvent, Spoken, number>(
    (event) => event.connection.id,
    (first) => openConnection(first, this.#readers, this.#secrets.headerTables),
    (event) => event.kind === 'closed' && event.from === null,
    (event) => event.kind === 'established',
  );
  #time = 0n;
  #limit = 0n;

  constructor(options: ConnectionsOptions, sink: ConnectionSink) {
    this.#sink = sink;
    this.#silentKeys = options.silentKeys ?? false;
    this.#moreSecrets = options.moreSecrets ?? false;
    options.keyLogs?.forEach((text, i) => {
      this.#secrets.add(text, `key log ${i}`);
    });
    this.#saySecrets();
    this.#tls = tlsStage(this.#secrets, { progress: options.progress });
  }

  /** ns: the oldest event that waits for its keys; FREE where none does. */
  get held(): bigint {
    return this.#tls.heldSince() ?? FREE;
  }

  item(item: StreamItem): void {
    switch (item.kind) {
      case 'secrets':
        this.#secrets.add(`${item.keyLog}\n`, 'capture');
        return;
      case 'no-secrets':
        this.#secrets.final = !this.#moreSecrets;
        return;
      case 'notice':
      case 'stream-bytes':
      case 'numbers':
      case 'capture-report':
        this.#sink.item(item);
        return;
      default: {
        const plain = this.#tls.feed(item);
        for (let i = 0; i < plain.length; i++) this.#plain(plain[i]);
      }
    }
  }

  get quietUntil(): bigint | undefined {
    return this.#sink.quietUntil;
  }

  settled(time: bigint, limit: bigint): void {
    this.#time = time;
    this.#limit = limit;
    this.#sink.settled(time, limit, this.held);
  }

  firstFrame(time: bigint): void {
    this.#sink.firstFrame(time);
  }

  hasNanoseconds(capture: number): void {
    this.#sink.hasNanoseconds(capture);
  }

  /**
   * More text of a key log that grows while the capture is read (`moreSecrets`); its last line may be cut. `settled` was told
   * just before.
   */
  addSecrets(text: string): void {
    this.#secrets.add(text, 'growing key log');
    for (const item of this.#tls.wake()) this.#plain(item);
    this.settled(this.#time, this.#limit);
  }

  /** Text of an NSS key log: of the secrets that were given, those of connections that were seen. */
  get usedSecrets(): string {
    return this.#secrets.usedLines();
  }

  /** @param from told before what is said of each connection, twice: first of those with TLS, then of all. */
  end(from: (round: 1 | 2, connection: number) => void = () => {}): void {
    this.#saySecrets();
    for (const [connection, items] of this.#tls.endings()) {
      from(1, connection.id);
      for (const item of items) this.#plain(item);
    }
    for (const [id, items] of this.#exchanges.endings()) {
      from(2, id);
      for (const item of items) this.#sink.item(item);
    }
  }

  #saySecrets(): void {
    for (const item of this.#secrets.end()) if (!this.#silentKeys) this.#sink.item(item);
  }

  #plain(item: StreamEvent | Notice): void {
    if (item.kind === 'notice' || item.kind === 'certificate') {
      this.#sink.item(item);
      return;
    }
    if (item.kind === 'secured') this.#sink.item(item);
    const spoken = this.#exchanges.feed(item);
    for (let i = 0; i < spoken.length; i++) this.#sink.item(spoken[i]);
  }
}

function openConnection(
  first: StreamEvent,
  readers: MemberReaders,
  headerTables: HeaderTables,
): Stage<StreamEvent, Spoken> {
  return pipe<StreamEvent, DetectorItem, never, Spoken>(
    httpDetect(PROTOCOLS, headerTables)(first.connection),
    isAnything,
    exchanges({ framing: bodyFraming, readers }),
  );
}

function isAnything(item: DetectorItem): item is DetectorItem {
  return item !== undefined;
}
