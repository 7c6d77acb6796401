// Holds the state of one direction of a TLS connection: records, keys, epoch and losses.

import type { Side } from '../tcp/stream-event.js';
import { MessageReader } from './handshake.js';
import type { RecordCipher } from './record-cipher.js';
import { RecordReader } from './records.js';

/** Which keys protect the records of a direction. TLS 1.2 has the first and the last. */
export type Epoch = 'clear' | 'early' | 'handshake' | 'application';

export class TlsDirection {
  readonly records = new RecordReader();
  readonly messages = new MessageReader();
  /** Role in the TLS handshake, which selects the secrets; differs from `side` if that was guessed wrongly from ports. */
  role: Side;
  epoch: Epoch = 'clear';
  /** null before it is installed, or (in the handshake) without its secret. */
  cipher: RecordCipher | null = null;
  /** TLS 1.2: the cipher that the next ChangeCipherSpec activates. */
  pending: RecordCipher | null = null;
  /** Sequence number of the next record. */
  seq = 0;
  /** Current TLS 1.3 traffic secret, from which the next one is derived. */
  secret: Uint8Array | null = null;
  /** Bytes of lost or unreadable records since the last good one; Infinity if unknown. */
  lost = 0;
  /** Records in a row that did not verify. */
  failures = 0;
  /** Bytes were missing since the last good record. */
  afterLoss = false;
  /** Mid-session: the sequence number was not found yet. */
  isSeqUnknown = false;
  /** Mid-session: sequence number of the first captured record. */
  firstSeq: number | null = null;
  /** Mid-session: the expected value of `firstSeq`, if there is one. */
  expectedSeq: number | null = null;
  /** Application data was lost before the first readable record: a gap is emitted before that one. */
  mustEmitGap = false;
  /** Given up, while the other direction is read. */
  isUnreadable = false;
  /** Its end was emitted. */
  closed = false;
  /** Whether records of it are buffered, and how many of them are application data. */
  waiting = false;
  bufferedRecords = 0;
  hasMalformedNotice = false;

  constructor(readonly side: Side) {
    this.role = side;
  }

  /** Changes the keys from the next record on. */
  enter(epoch: Epoch, cipher: RecordCipher | null, seq = 0): void {
    this.epoch = epoch;
    this.cipher = cipher;
    this.seq = seq;
    this.failures = 0;
  }

  /** Enters the epoch of application data. @param secret from which the next one is derived; null in TLS 1.2. */
  enterTraffic(secret: Uint8Array | null, cipher: RecordCipher | null, seq = 0): void {
    this.secret = secret;
    this.enter('application', cipher, seq);
  }

  /** Continues a mid-session connection with keys that opened one of its records. @param expected number of the first captured record; null: not known. */
  adopt(secret: Uint8Array | null, cipher: RecordCipher | null, expected: number | null): void {
    this.lost = 0;
    this.messages.reset();
    this.enterTraffic(secret, cipher);
    this.isSeqUnknown = true;
    this.expectedSeq = expected;
    this.isUnreadable = cipher === null;
  }

  /** The record at hand has this number. */
  foundAt(seq: number): void {
    if (this.isSeqUnknown) this.firstSeq = seq;
    this.isSeqUnknown = false;
    this.seq = seq;
  }

  /** Bytes before the record at hand are missing. */
  onLoss(bytes: number): void {
    this.lost += bytes;
    this.afterLoss = true;
    this.messages.reset();
  }

  /** The record at hand was opened. */
  onOpened(): void {
    this.seq += 1;
    this.failures = 0;
    this.lost = 0;
    this.afterLoss = false;
  }

  /** The record at hand does not verify. @param lost bytes of it, if it may have held application data. */
  onFailure(lost: number): void {
    this.failures += 1;
    this.lost += lost;
  }

  /** A hello: bytes that were lost before it held no application data. */
  onHello(): void {
    this.lost = 0;
  }

  /** No more comes. @returns whether application data at its end is missing. */
  onEnd(): boolean {
    const missing = this.records.waiting > 0 || this.records.pendingLoss > 0 || this.lost > 0 || this.mustEmitGap;
    this.lost = 0;
    this.mustEmitGap = false;
    return missing && this.epoch === 'application' && !this.closed && !this.isUnreadable;
  }
}
