// A message as one JSON object, with the field names and formats of the contract: the line of `messages -o ndjson`, and
// the messages inside a picture's JSON. Written field by field into bytes because it is the hot end of the whole
// pipeline: JSON.stringify of a fresh object took as long as reading the capture.

import type { Message } from '../kubernetes/message.js';
import { LineBuffer } from './line-buffer.js';
import { writeTime } from './time.js';

export interface MessageJsonOptions {
  /** Names of the captures, where there are several. */
  readonly captures?: readonly string[];
  /** Digits of a second's fraction that each capture has: 6 or 9. */
  readonly digits: (capture: number) => number;
}

/** One JSON object without line breaks. */
export function messageLine(message: Message, options: MessageJsonOptions): string {
  writeMessage(LINE, message, options);
  return LINE.text();
}

/** The same as an object, for the outputs that take their fields from it. */
export function messageJson(message: Message, options: MessageJsonOptions): Record<string, unknown> {
  return JSON.parse(messageLine(message, options)) as Record<string, unknown>;
}

/** Writes what `messageLine` gives. */
export function writeMessage(out: LineBuffer, message: Message, options: MessageJsonOptions): void {
  const { stream, frames, object, report } = message;
  const digits = options.digits(message.capture);
  out.ascii('{"seq":');
  out.number(message.seq);
  out.ascii(',"time":"');
  writeTime(out, message.time, digits);
  if (message.started !== message.time) {
    out.ascii('","started":"');
    writeTime(out, message.started, digits);
  }
  out.ascii('","kind":"');
  out.ascii(message.kind);
  out.ascii('","protocol":"');
  out.ascii(message.protocol);
  out.ascii('","from":');
  out.quoted(message.fromName ?? message.from.name);
  out.ascii(',"to":');
  out.quoted(message.toName ?? message.to.name);
  out.ascii(',"label":');
  out.quoted(message.label);
  out.ascii(',"exchange":');
  out.number(message.exchange);
  out.ascii(',"connection":');
  out.quoted(message.connection);
  out.ascii(',"stream":');
  if (stream === null) out.ascii('null');
  else out.number(stream);
  out.ascii(',"frames":[');
  out.number(frames[0]);
  out.ascii(',');
  out.number(frames[1]);
  out.ascii(']');
  if (options.captures !== undefined) text(out, ',"capture":', options.captures[message.capture] ?? '');
  out.ascii(message.complete ? ',"complete":true' : ',"complete":false');
  if (message.inferred !== undefined) json(out, ',"inferred":', message.inferred);
  number(out, ',"causedBy":', message.causedBy);
  text(out, ',"method":', message.method);
  text(out, ',"target":', message.target);
  text(out, ',"userAgent":', message.userAgent);
  if (message.verb !== undefined || message.resource !== undefined) {
    text(out, ',"verb":', message.verb);
    text(out, ',"apiGroup":', message.apiGroup);
    text(out, ',"apiVersion":', message.apiVersion);
    text(out, ',"resource":', message.resource);
    text(out, ',"subresource":', message.subresource);
    text(out, ',"namespace":', message.namespace);
    text(out, ',"name":', message.name);
  }
  number(out, ',"status":', message.status);
  if (message.reason !== '') text(out, ',"reason":', message.reason);
  text(out, ',"auditId":', message.auditId);
  number(out, ',"latencyMs":', message.latencyMs);
  if (object !== undefined) writeObject(out, object);
  text(out, ',"type":', message.type);
  if (message.initial === true) out.ascii(',"initial":true');
  if (report !== undefined) json(out, ',"report":', report);
  if (message.rpcMethod !== undefined) writeRpc(out, message);
  text(out, ',"channel":', message.channel);
  number(out, ',"bytes":', message.bytes);
  number(out, ',"exitCode":', message.exitCode);
  out.ascii('}');
}

function writeObject(out: LineBuffer, object: NonNullable<Message['object']>): void {
  out.ascii(',"object":{"kind":');
  out.quoted(object.kind);
  nullable(out, ',"apiVersion":', object.apiVersion);
  nullable(out, ',"namespace":', object.namespace);
  nullable(out, ',"name":', object.name);
  nullable(out, ',"uid":', object.uid);
  nullable(out, ',"resourceVersion":', object.resourceVersion);
  number(out, ',"generation":', object.generation);
  if (object.owners !== undefined) json(out, ',"owners":', object.owners);
  number(out, ',"items":', object.items);
  number(out, ',"rows":', object.rows);
  out.ascii('}');
}

function writeRpc(out: LineBuffer, message: Message): void {
  text(out, ',"service":', message.service);
  nullable(out, ',"rpcMethod":', message.rpcMethod);
  number(out, ',"grpcStatus":', message.grpcStatus);
  text(out, ',"key":', message.key);
  text(out, ',"revision":', message.revision);
  if (message.succeeded !== undefined) out.ascii(message.succeeded ? ',"succeeded":true' : ',"succeeded":false');
  text(out, ',"podSandboxId":', message.podSandboxId);
  text(out, ',"containerId":', message.containerId);
  text(out, ',"image":', message.image);
}

function text(out: LineBuffer, name: string, value: string | undefined): void {
  if (value === undefined) return;
  out.ascii(name);
  out.quoted(value);
}

function nullable(out: LineBuffer, name: string, value: string | null | undefined): void {
  if (value === undefined) return;
  out.ascii(name);
  if (value === null) out.ascii('null');
  else out.quoted(value);
}

function number(out: LineBuffer, name: string, value: number | undefined): void {
  if (value === undefined) return;
  out.ascii(name);
  out.number(value);
}

function json(out: LineBuffer, name: string, value: unknown): void {
  out.ascii(name);
  out.json(JSON.stringify(value));
}

/** Most lines are shorter. */
const LINE = new LineBuffer(4096);
