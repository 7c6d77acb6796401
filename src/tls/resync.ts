// Finds the sequence number and keys of a record after bytes were lost; a correct tag is the proof.

import type { HandshakeState } from './handshake-state.js';
import { nextTrafficSecret } from './key-schedule.js';
import { findSequence, findSequenceNear, searchWindow } from './mid-session/sequence-number-search.js';
import { type RecordCipher, recordOverhead } from './record-cipher.js';
import type { Suite } from './suites.js';
import type { TlsDirection } from './tls-direction.js';

/** A record that was found. Cipher, epoch and sequence number of the direction are already those of the record. */
export interface ResyncPoint {
  readonly plain: Uint8Array;
  /** Whether application data was lost before it. */
  readonly gap: boolean;
  /** How many bytes; null if that is unknown. */
  readonly length: number | null;
}

/** Searches for a record that does not verify with the expected number and keys. @returns null if no number in the windows fits. */
export function locate(direction: TlsDirection, handshake: HandshakeState, record: Uint8Array): ResyncPoint | null {
  const suite = handshake.suite!;
  if (direction.isSeqUnknown) return locateFirst(direction, suite, record);
  const span =
    direction.lost === 0 ? 0 : Math.min(Math.floor(direction.lost / SHORTEST_RECORD) + 1, searchWindow(suite));
  return locateLater(direction, suite, record, span) ?? locateUnderNextKeys(direction, handshake, record, span);
}

/** Locates the first record of a direction of a mid-session connection. */
function locateFirst(direction: TlsDirection, suite: Suite, record: Uint8Array): ResyncPoint | null {
  const { cipher } = direction;
  if (cipher === null) return null;
  const expected = direction.expectedSeq;
  const seq =
    expected === null
      ? findSequence(cipher, record, 0, searchWindow(suite))
      : findSequenceNear(cipher, record, expected + direction.failures);
  if (seq < 0) return null;
  // If this is record 0, earlier records that did not verify were of the handshake.
  const gap = direction.failures > 0 && seq > 0;
  direction.foundAt(seq);
  return found(cipher, record, seq, gap, null);
}

function locateLater(direction: TlsDirection, suite: Suite, record: Uint8Array, span: number): ResyncPoint | null {
  const { cipher } = direction;
  if (cipher === null || span === 0) return null;
  const seq = findSequence(cipher, record, direction.seq + 1, span);
  if (seq < 0) return null;
  const length = lostPlaintext(suite, direction.lost, seq - direction.seq);
  direction.foundAt(seq);
  return found(cipher, record, seq, direction.epoch === 'application', length);
}

function locateUnderNextKeys(
  direction: TlsDirection,
  handshake: HandshakeState,
  record: Uint8Array,
  span: number,
): ResyncPoint | null {
  const next = nextKeys(direction, handshake, span > 0);
  if (next === null) return null;
  const seq = findSequence(next.cipher, record, 0, span + 1);
  if (seq < 0) return null;
  const gap = seq > 0 || direction.epoch === 'application';
  direction.enterTraffic(next.secret, next.cipher, seq);
  return found(next.cipher, record, seq, gap, null);
}

function nextKeys(direction: TlsDirection, handshake: HandshakeState, afterLoss: boolean): NextKeys | null {
  const suite = handshake.suite!;
  if (suite.version === '1.2') {
    return direction.pending === null || direction.pending === direction.cipher
      ? null
      : { cipher: direction.pending, secret: null };
  }
  let secret: Uint8Array | null = null;
  if (direction.epoch !== 'application') secret = handshake.trafficSecret(direction.role);
  // A KeyUpdate may be among the lost records.
  else if (afterLoss && direction.secret !== null) secret = nextTrafficSecret(suite, direction.secret);
  return secret === null ? null : { cipher: handshake.cipherOf(secret), secret };
}

interface NextKeys {
  readonly cipher: RecordCipher;
  readonly secret: Uint8Array | null;
}

function found(
  cipher: RecordCipher,
  record: Uint8Array,
  seq: number,
  gap: boolean,
  length: number | null,
): ResyncPoint | null {
  const plain = cipher.open(record, seq);
  return plain === null ? null : { plain, gap, length };
}

/**
 * Plaintext bytes in `records` lost records of `lost` bytes in all, if they were application data without padding, as after a
 * handshake; null if that cannot be computed.
 */
function lostPlaintext(suite: Suite, lost: number, records: number): number | null {
  const overhead = recordOverhead(suite);
  const length = overhead === null ? Number.NaN : lost - records * overhead;
  return Number.isFinite(length) && length >= 0 ? length : null;
}

/** Bytes of the shortest record: header, content type and tag of CCM_8 without plaintext. */
const SHORTEST_RECORD = 5 + 1 + 8;
