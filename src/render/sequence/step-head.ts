// The head of a message as a reader wants it: request line or status line, and the fields that tell who asks for what in
// which form. Knows names of header fields; their values come redacted.

import type { Message } from '../../kubernetes/messages/message.js';

/** Lines for a fence; empty where the message has no head of its own. */
export function headLines(message: Message): string[] {
  const first = firstLine(message);
  if (first === null) return [];
  const fields = (message.details?.fields() ?? []).filter(([name]) => isTelling(name));
  return [first, ...fields.slice(0, MAX_FIELDS).map(([name, value]) => `${name}: ${shortened(value)}`)];
}

function firstLine(message: Message): string | null {
  if (message.kind === 'request') {
    if (message.service !== undefined) return `POST /${message.service}/${message.rpcMethod ?? '…'}`;
    return message.target === undefined ? null : `${message.method ?? '…'} ${message.target}`;
  }
  // The answer of a call is 200 whatever came of it; that stands in its status.
  if (message.kind !== 'response' || message.status === undefined || message.service !== undefined) return null;
  const reason = /^\[RESP\] (\d+[^,]*)/.exec(message.label)?.[1];
  return reason ?? String(message.status);
}

function isTelling(name: string): boolean {
  const lower = name.toLowerCase();
  return TELLING.has(lower) || lower.startsWith('impersonate-');
}

function shortened(value: string): string {
  return value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE)}…`;
}

const TELLING = new Set([
  'user-agent',
  'accept',
  'content-type',
  'content-encoding',
  'authorization',
  'kubectl-command',
  'upgrade',
  'expect',
  'sec-websocket-protocol',
  'x-stream-protocol-version',
  'transfer-encoding',
  'audit-id',
  'location',
  'retry-after',
  'warning',
  'www-authenticate',
  'allow',
  'docker-content-digest',
  'grpc-status',
  'grpc-message',
]);
/** A head with more telling fields than this was made by nobody who wants to be read. */
const MAX_FIELDS = 24;
/** Characters. */
const MAX_VALUE = 300;
