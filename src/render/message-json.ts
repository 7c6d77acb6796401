// A message as one JSON object, with the field names and formats of the contract: the line of `messages -o ndjson`, and
// the messages inside a picture's JSON.

import type { Message } from '../kubernetes/message.js';
import { formatTime } from './time.js';

export interface MessageJsonOptions {
  /** Names of the captures, where there are several. */
  readonly captures?: readonly string[];
  /** Digits of a second's fraction that each capture has: 6 or 9. */
  readonly digits: (capture: number) => number;
}

export function messageJson(message: Message, options: MessageJsonOptions): Record<string, unknown> {
  const digits = options.digits(message.capture);
  return {
    seq: message.seq,
    time: formatTime(message.time, digits),
    started: message.started === message.time ? undefined : formatTime(message.started, digits),
    kind: message.kind,
    protocol: message.protocol,
    from: message.from.name,
    to: message.to.name,
    label: message.label,
    exchange: message.exchange,
    connection: message.connection,
    stream: message.stream,
    frames: message.frames,
    capture: options.captures?.[message.capture],
    complete: message.complete,
    inferred: message.inferred,
    causedBy: message.causedBy,
    method: message.method,
    target: message.target,
    userAgent: message.userAgent,
    verb: message.verb,
    apiGroup: message.apiGroup,
    apiVersion: message.apiVersion,
    resource: message.resource,
    subresource: message.subresource,
    namespace: message.namespace,
    name: message.name,
    status: message.status,
    reason: message.reason === '' ? undefined : message.reason,
    auditId: message.auditId,
    latencyMs: message.latencyMs,
    object: message.object,
    type: message.type,
    initial: message.initial,
    report: message.report,
    channel: message.channel,
    bytes: message.bytes,
  };
}
