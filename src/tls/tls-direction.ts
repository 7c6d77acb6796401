// One direction of a TLS connection: its records, its keys, its place in the handshake, what was lost of it.

import type { Side } from '../tcp/stream-event.js';
import { MessageReader } from './handshake.js';
import type { RecordCipher } from './record-cipher.js';
import { RecordReader } from './records.js';

/** Which keys protect the records of a direction. TLS 1.2 knows the first and the last. */
export type Epoch = 'clear' | 'early' | 'handshake' | 'application';

export class TlsDirection {
  readonly records = new RecordReader();
  readonly messages = new MessageReader();
  /** What it is for TLS: tells which secrets are its own. Differs from `side` where the ports misled. */
  role: Side;
  epoch: Epoch = 'clear';
  /** null: not made yet, or (in the handshake) not to be had. */
  cipher: RecordCipher | null = null;
  /** TLS 1.2: keys that the next ChangeCipherSpec puts in force. */
  pending: RecordCipher | null = null;
  /** Sequence number of the next record. */
  seq = 0;
  /** TLS 1.3 traffic secret in force: the next one follows from it. */
  secret: Uint8Array | null = null;
  /** Bytes of lost or unreadable records since the last good one; Infinity: nobody knows. */
  lost = 0;
  /** Records in a row that did not verify. */
  failures = 0;
  /** Bytes were missing since the last good record. */
  afterLoss = false;
  /** Late connection: nothing is known yet of the sequence number. */
  unplaced = false;
  /** Late connection: the sequence number of its first captured record. */
  firstSeq: number | null = null;
  /** Late connection, while it is unplaced: what that number should be; null: any. */
  expectedSeq: number | null = null;
  /** Application data was lost before the first readable record. */
  owesGap = false;
  /** Given up alone, while the other direction is read. */
  dead = false;
  /** Its end was said. */
  closed = false;
  /** Records of it wait in the spool; how many of them are application data. */
  waiting = false;
  bufferedRecords = 0;
  saidMalformed = false;

  constructor(readonly side: Side) {
    this.role = side;
  }

  /** New keys are in force from the next record on. */
  enter(epoch: Epoch, cipher: RecordCipher | null, seq = 0): void {
    this.epoch = epoch;
    this.cipher = cipher;
    this.seq = seq;
    this.failures = 0;
  }
}
