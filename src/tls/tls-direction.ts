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
}
