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
export function locate(half: TlsDirection, handshake: HandshakeState, record: Uint8Array): ResyncPoint | null {
  const suite = handshake.suite!;
  if (half.isSeqUnknown) return locateFirst(half, suite, record);
  const span = half.lost === 0 ? 0 : Math.min(Math.floor(half.lost / SHORTEST_RECORD) + 1, searchWindow(suite));
  return locateLater(half, suite, record, span) ?? locateUnderNextKeys(half, handshake, record, span);
}

/** Locates the first record of a direction of a mid-session connection. */
function locateFirst(half: TlsDirection, suite: Suite, record: Uint8Array): ResyncPoint | null {
  const { cipher } = half;
  if (cipher === null) return null;
  const expected = half.expectedSeq;
  const seq =
    expected === null
      ? findSequence(cipher, record, 0, searchWindow(suite))
      : findSequenceNear(cipher, record, expected + half.failures);
  if (seq < 0) return null;
  // If this is record 0, earlier records that did not verify were of the handshake.
  const gap = half.failures > 0 && seq > 0;
  half.isSeqUnknown = false;
  half.firstSeq = seq;
  half.seq = seq;
  return found(cipher, record, seq, gap, null);
}

function locateLater(half: TlsDirection, suite: Suite, record: Uint8Array, span: number): ResyncPoint | null {
  const { cipher } = half;
  if (cipher === null || span === 0) return null;
  const seq = findSequence(cipher, record, half.seq + 1, span);
  if (seq < 0) return null;
  const length = lostPlaintext(suite, half.lost, seq - half.seq);
  half.seq = seq;
  return found(cipher, record, seq, half.epoch === 'application', length);
}

function locateUnderNextKeys(
  half: TlsDirection,
  handshake: HandshakeState,
  record: Uint8Array,
  span: number,
): ResyncPoint | null {
  const next = nextKeys(half, handshake, span > 0);
  if (next === null) return null;
  const seq = findSequence(next.cipher, record, 0, span + 1);
  if (seq < 0) return null;
  const gap = seq > 0 || half.epoch === 'application';
  half.secret = next.secret;
  half.enter('application', next.cipher, seq);
  return found(next.cipher, record, seq, gap, null);
}

function nextKeys(half: TlsDirection, handshake: HandshakeState, afterLoss: boolean): NextKeys | null {
  const suite = handshake.suite!;
  if (suite.version === '1.2') {
    return half.pending === null || half.pending === half.cipher ? null : { cipher: half.pending, secret: null };
  }
  let secret: Uint8Array | null = null;
  if (half.epoch !== 'application') secret = handshake.trafficSecret(half.role);
  // A KeyUpdate may be among the lost records.
  else if (afterLoss && half.secret !== null) secret = nextTrafficSecret(suite, half.secret);
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
