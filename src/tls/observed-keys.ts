// Uses the keys that a process was observed using on a connection without handshake: at a known time it encrypted or decrypted the
// record with a known sequence number.

import { hexBytes } from '../core/bytes/bytes.js';
import type { ObservedKeys } from '../core/open-connection.js';
import type { Side } from '../tcp/stream-event.js';
import type { SessionSecrets } from './key-log.js';
import { trafficKeys } from './key-schedule.js';
import { type RecordCipher, recordCipher } from './record-cipher.js';
import type { Suite } from './suites.js';

/** The observed keys for the records of one side. */
export interface ObservedDirection extends ObservedKeys {
  readonly operation: 'encrypt' | 'decrypt';
}

/** @returns null if the secrets were not observed, or not for this role. */
export function observedDirection({ observed }: SessionSecrets, role: Side): ObservedDirection | null {
  if (observed === null) return null;
  const operation = observed.side === role ? 'encrypt' : 'decrypt';
  const keys = operation === 'encrypt' ? observed.write : observed.read;
  return keys === null ? null : { ...keys, operation };
}

/** The cipher of the records that `role` sends; null like `observedDirection`. */
export function observedCipher(secrets: SessionSecrets, role: Side, suite: Suite): RecordCipher | null {
  const keys = observedDirection(secrets, role);
  if (keys === null) return null;
  const secret = hexBytes(keys.secret);
  if (suite.version === '1.3') return recordCipher(suite, trafficKeys(suite, secret));
  const iv = hexBytes(keys.nonce);
  const fits = secret.length === suite.cipher.keyLength && iv.length === (suite.cipher.mode === 'chacha' ? 12 : 4);
  return fits ? recordCipher(suite, { key: secret, iv, mac: EMPTY }) : null;
}

/**
 * The sequence number of the first captured record by an observation: a process encrypts a record before it is captured, and decrypts
 * it afterwards. Exact if the capture includes the time of the observation, else the nearest possible number.
 * @param times ns, when each captured record of the direction was complete, in order.
 */
export function firstNumber(times: readonly bigint[], { operation, record, time }: ObservedDirection): number {
  const isBefore = operation === 'encrypt' ? (at: bigint) => at < time : (at: bigint) => at <= time;
  let before = 0;
  while (before < times.length && isBefore(times[before])) before += 1;
  return Math.max(0, operation === 'encrypt' ? record - before : record - before + 1);
}

const EMPTY = new Uint8Array(0);
