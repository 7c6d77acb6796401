// Runs the stages from the bytes of connections to exchanges: TLS and HTTP. Connections are independent of each other here.

import type { CaptureReport } from '../capture/frame.js';
import type { ConnectionEnd } from '../core/connection-end.js';
import type { HeaderTables } from '../core/header-table.js';
import type { Notice } from '../core/notice.js';
import { MAX_TIME } from '../core/origin.js';
import { route } from '../core/route.js';
import type { SocketOwner } from '../core/socket-owner.js';
import { pipe, type Stage } from '../core/stage.js';
import { httpDetect } from '../http/detect.js';
import type { Tunnelled } from '../http/exchange/channel.js';
import { exchanges } from '../http/exchange/exchanges.js';
import type { ExchangeEvent } from '../http/exchange-event.js';
import { MemberReaders } from '../http/framing/gzip-members.js';
import type { HttpEvent, ProtocolFound } from '../http/http-event.js';
import { PROTOCOLS } from '../http/protocols.js';
import { bodyFraming } from '../kubernetes/api/framing.js';
import { prefixReader } from '../kubernetes/api/path-prefix.js';
import type { LostTime } from '../tcp/delivery.js';
import {
  BROKEN_BY,
  type InitialSequenceNumbers,
  type PeerCertificate,
  type StreamBytes,
  type StreamEvent,
  type TlsEstablished,
} from '../tcp/stream-event.js';
import { type SecretStore, secretStore } from '../tls/key-log.js';
import { type TlsStage, tlsStage } from '../tls/tls-stage.js';
import type { StreamItem, StreamSink } from './tcp-stage.js';

type DetectorItem = HttpEvent | ProtocolFound | Notice;
type DecodedItem = ExchangeEvent | ProtocolFound | Notice;

/** Items of connections, in order. */
export type ConnectionItem =
  | DecodedItem
  | InitialSequenceNumbers
  | TlsEstablished
  | PeerCertificate
  | StreamBytes
  | ConnectionEnd
  | LostTime
  | SocketOwner
  | CaptureReport;

/** Receives the items of the stage; bytes of tunnels are borrowed until `item` returns. */
export interface ConnectionSink {
  item(item: ConnectionItem): void;
  /** As in `StreamSink`; `held`: ns, the oldest event that awaits its keys, MAX_TIME if there is none. */
  watermark(time: bigint, limit: bigint, held: bigint): void;
  /** As in `StreamSink`. */
  readonly idleUntil?: bigint;
}

export interface ExchangeStageOptions {
  /** Text of NSS key logs; secrets inside the captures need none. */
  readonly keyLogs?: readonly string[];
  /** Receives the progress of the key search for connections older than the capture. */
  readonly progress?: (work: number, limit: number) => void;
  /**
   * More secrets may follow, by `addSecrets` or from later captures; then records wait for them. Default false: if no capture can hold
   * secrets either, records that cannot be decrypted are given up at once.
   */
  readonly moreSecrets?: boolean;
}

export class ExchangeStage implements StreamSink {
  readonly #sink: ConnectionSink;
  readonly #secrets: SecretStore = secretStore();
  readonly #moreSecrets: boolean;
  readonly #tls: TlsStage;
  readonly #readers = new MemberReaders();
  /** Of connections inside of tunnels; read after what they came of. */
  #tunnelled: Tunnelled['item'][] = [];
  readonly #exchanges = route<StreamEvent, DecodedItem | Tunnelled, number>(
    (event) => event.connection.id,
    (first) => openConnection(first, this.#readers, this.#secrets.headerTables),
    (event) => event.kind === 'closed' && event.from === null,
    (event) => event.kind === 'established',
  );
  #time = 0n;
  #limit = 0n;

  constructor(options: ExchangeStageOptions, sink: ConnectionSink) {
    this.#sink = sink;
    this.#moreSecrets = options.moreSecrets ?? false;
    options.keyLogs?.forEach((text, i) => {
      this.#secrets.add(text, `key log ${i}`);
    });
    this.#emitKeyNotices();
    this.#tls = tlsStage(this.#secrets, { progress: options.progress });
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
      case 'lost-time':
      case 'numbers':
      case 'socket-owner':
      case 'capture-report':
        this.#sink.item(item);
        return;
      default: {
        const end = item.kind === 'closed' ? endOf(item) : undefined;
        if (end !== undefined) this.#sink.item(end);
        const plain = this.#tls.feed(item);
        for (let i = 0; i < plain.length; i++) this.#decrypted(plain[i]);
        if (this.#tunnelled.length > 0) this.#readTunnelled();
      }
    }
  }

  /** A tunnel in a tunnel is not read, so this comes to an end. */
  #readTunnelled(): void {
    const items = this.#tunnelled;
    this.#tunnelled = [];
    for (const item of items) this.item(item);
  }

  get idleUntil(): bigint | undefined {
    return this.#sink.idleUntil;
  }

  watermark(time: bigint, limit: bigint): void {
    this.#time = time;
    this.#limit = limit;
    this.#sink.watermark(time, limit, this.#tls.heldSince() ?? MAX_TIME);
  }

  /**
   * Adds text of a key log that grows while the capture is read (`moreSecrets`); its last line may be cut. `watermark` was called just
   * before.
   */
  addSecrets(text: string): void {
    this.#secrets.add(text, 'growing key log');
    for (const item of this.#tls.wake()) this.#decrypted(item);
    this.#readTunnelled();
    this.watermark(this.#time, this.#limit);
  }

  /** Text of an NSS key log: the secrets that belong to connections of the capture. */
  get usedSecrets(): string {
    return this.#secrets.usedLines();
  }

  end(): void {
    this.#emitKeyNotices();
    for (const item of this.#tls.end()) this.#decrypted(item);
    this.#readTunnelled();
    for (const item of this.#tls.end()) this.#decrypted(item);
    for (const item of this.#exchanges.end()) this.#emit(item);
    this.#readTunnelled();
    for (const item of this.#exchanges.end()) this.#emit(item);
  }

  #emitKeyNotices(): void {
    for (const item of this.#secrets.end()) this.#sink.item(item);
  }

  #decrypted(item: StreamEvent | Notice): void {
    if (item.kind === 'notice' || item.kind === 'certificate') {
      this.#sink.item(item);
      return;
    }
    if (item.kind === 'tls-established') this.#sink.item(item);
    const decoded = this.#exchanges.feed(item);
    for (let i = 0; i < decoded.length; i++) this.#emit(decoded[i]);
  }

  #emit(item: DecodedItem | Tunnelled): void {
    if (item.kind === 'tunnelled') this.#tunnelled.push(item.item);
    else this.#sink.item(item);
  }
}

function openConnection(
  first: StreamEvent,
  readers: MemberReaders,
  headerTables: HeaderTables,
): Stage<StreamEvent, DecodedItem | Tunnelled> {
  return pipe<StreamEvent, DetectorItem, never, DecodedItem | Tunnelled>(
    httpDetect(PROTOCOLS, headerTables)(first.connection),
    isAnything,
    exchanges({ framing: bodyFraming, readers, readHead: prefixReader() }),
  );
}

/** undefined: no side ended it, or the whole of what they ended one by one. */
function endOf({ connection, from, reason, origin }: StreamEvent & { kind: 'closed' }): ConnectionEnd | undefined {
  const by = from ?? BROKEN_BY[reason];
  const how = from === null ? 'RST' : 'FIN';
  return by === undefined ? undefined : { kind: 'connection-end', connection: connection.name, by, how, origin };
}

function isAnything(item: DetectorItem): item is DetectorItem {
  return item !== undefined;
}
