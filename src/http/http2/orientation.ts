// Who is the client of an HTTP/2 connection whose handshake was not captured: the side that sends requests. Knows events
// of a trial reading, not bytes.

import type { Notice } from '../../core/notice.js';
import type { Connection, StreamEvent } from '../../tcp/stream-event.js';
import { fieldValue, type HttpEvent } from '../http-event.js';
import { PREFACE } from './frame-types.js';

/** The sides were guessed from ports that say little: both ephemeral, or neither. */
export function needsOrientation(connection: Connection): boolean {
  if (connection.roles !== 'port') return false;
  return connection.server.port >= EPHEMERAL || connection.client.port < EPHEMERAL;
}

/** @param events what a reading with the sides as they were guessed made of `input`. */
export function orientationOf(
  input: StreamEvent,
  events: readonly (HttpEvent | Notice)[],
): 'right' | 'reversed' | 'more' {
  if (input.kind === 'data' && startsWithPreface(input.bytes)) return input.from === 'client' ? 'right' : 'reversed';
  for (const event of events) {
    if (event.kind !== 'head') continue;
    const { head } = event;
    // Pseudo-header fields of the wrong kind stay among the fields: a head is read by the side that sent it.
    if (head.kind === 'request-head') {
      if (head.method !== null || head.target !== null) return 'right';
      if (fieldValue(head.fields, ':status') !== undefined) return 'reversed';
      if (fieldValue(head.fields, ':scheme') !== undefined) return 'right';
    } else {
      if (head.status !== null) return 'right';
      for (const name of REQUEST_ONLY) if (fieldValue(head.fields, name) !== undefined) return 'reversed';
    }
  }
  return 'more';
}

function startsWithPreface(bytes: Uint8Array): boolean {
  if (bytes.length < PREFACE.length) return false;
  for (let i = 0; i < PREFACE.length; i++) if (bytes[i] !== PREFACE[i]) return false;
  return true;
}

const REQUEST_ONLY = [':method', ':path', ':scheme', ':authority'];

// Linux hands out client ports from 32768 on, and Kubernetes node ports end below it.
const EPHEMERAL = 32768;
