// A message as one JSON object, with the field names and formats of the contract: the line of `messages -o ndjson`, and
// the messages inside a picture's JSON. Written field by field into bytes because it is the hot end of the whole
// pipeline: JSON.stringify of a fresh object took as long as reading the capture.

import type { Message } from '../kubernetes/message.js';
import { jsonText } from './json-text.js';
import { asciiBytes, LineBuffer } from './line-buffer.js';
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
  out.fixed(K_SEQ);
  out.number(message.seq);
  out.fixed(K_TIME);
  writeTime(out, message.time, digits);
  if (message.started !== message.time) {
    out.fixed(K_STARTED);
    writeTime(out, message.started, digits);
  }
  out.fixed(K_KIND);
  out.ascii(message.kind);
  out.fixed(K_PROTOCOL);
  out.ascii(message.protocol);
  out.fixed(K_FROM);
  out.repeated(message.fromName ?? message.from.name);
  out.fixed(K_TO);
  out.repeated(message.toName ?? message.to.name);
  out.fixed(K_LABEL);
  out.quoted(message.label);
  out.fixed(K_EXCHANGE);
  out.number(message.exchange);
  out.fixed(K_CONNECTION);
  out.repeated(message.connection);
  out.fixed(K_STREAM);
  if (stream === null) out.fixed(K_NULL);
  else out.number(stream);
  out.fixed(K_FRAMES);
  out.number(frames[0]);
  out.ascii(',');
  out.number(frames[1]);
  out.ascii(']');
  if (options.captures !== undefined) {
    text(out, K_CAPTURE, options.captures[message.capture] ?? '');
    if (message.lastCapture !== undefined) text(out, K_LAST_CAPTURE, options.captures[message.lastCapture] ?? '');
  }
  out.ascii(message.complete ? ',"complete":true' : ',"complete":false');
  if (message.inferred !== undefined) json(out, K_INFERRED, message.inferred);
  number(out, K_CAUSED_BY, message.causedBy);
  text(out, K_METHOD, message.method);
  text(out, K_TARGET, message.target);
  text(out, K_USER_AGENT, message.userAgent);
  if (message.verb !== undefined || message.resource !== undefined) {
    text(out, K_VERB, message.verb);
    text(out, K_API_GROUP, message.apiGroup);
    text(out, K_API_VERSION, message.apiVersion);
    text(out, K_RESOURCE, message.resource);
    text(out, K_SUBRESOURCE, message.subresource);
    text(out, K_NAMESPACE, message.namespace);
    text(out, K_NAME, message.name);
  }
  number(out, K_STATUS, message.status);
  if (message.reason !== '') text(out, K_REASON, message.reason);
  text(out, K_STATUS_MESSAGE, message.statusMessage);
  once(out, K_AUDIT_ID, message.auditId);
  number(out, K_LATENCY_MS, message.latencyMs);
  if (object !== undefined) writeObject(out, object);
  text(out, K_TYPE, message.type);
  if (message.initial === true) out.fixed(K_INITIAL);
  if (report !== undefined) json(out, K_REPORT, report);
  if (message.rpcMethod !== undefined) writeRpc(out, message);
  text(out, K_CHANNEL, message.channel);
  number(out, K_BYTES, message.bytes);
  number(out, K_EXIT_CODE, message.exitCode);
  if (message.via !== undefined) json(out, K_VIA, message.viaNames ?? message.via.map((one) => one.name));
  if (message.translated !== undefined && message.translated.length > 0) writeCopies(out, message.translated, options);
  out.ascii('}');
}

function writeObject(out: LineBuffer, object: NonNullable<Message['object']>): void {
  out.fixed(K_OBJECT);
  out.repeated(object.kind);
  nullable(out, K_API_VERSION, object.apiVersion);
  nullable(out, K_NAMESPACE, object.namespace);
  nullable(out, K_NAME, object.name);
  nullable(out, K_UID, object.uid);
  if (object.resourceVersion === null) nullable(out, K_RESOURCE_VERSION, null);
  else once(out, K_RESOURCE_VERSION, object.resourceVersion);
  number(out, K_GENERATION, object.generation);
  if (object.owners !== undefined) json(out, K_OWNERS, object.owners);
  number(out, K_ITEMS, object.items);
  number(out, K_ROWS, object.rows);
  out.ascii('}');
}

/** Where else it was seen, with the file's name where there are several. */
function writeCopies(
  out: LineBuffer,
  copies: NonNullable<Message['translated']>,
  { captures }: MessageJsonOptions,
): void {
  const said = copies.map(({ connection, capture, frames }) => ({
    connection,
    frames,
    ...(captures === undefined ? null : { capture: captures[capture] ?? '' }),
  }));
  json(out, K_TRANSLATED, said);
}

function writeRpc(out: LineBuffer, message: Message): void {
  text(out, K_SERVICE, message.service);
  nullable(out, K_RPC_METHOD, message.rpcMethod);
  number(out, K_GRPC_STATUS, message.grpcStatus);
  text(out, K_KEY, message.key);
  once(out, K_REVISION, message.revision);
  if (message.succeeded !== undefined) out.ascii(message.succeeded ? ',"succeeded":true' : ',"succeeded":false');
  text(out, K_POD_SANDBOX_ID, message.podSandboxId);
  text(out, K_CONTAINER_ID, message.containerId);
  text(out, K_IMAGE, message.image);
}

function text(out: LineBuffer, name: Uint8Array, value: string | undefined): void {
  if (value === undefined) return;
  out.fixed(name);
  out.repeated(value);
}

/** A text that no other message is likely to have. */
function once(out: LineBuffer, name: Uint8Array, value: string | undefined): void {
  if (value === undefined) return;
  out.fixed(name);
  out.quoted(value);
}

function nullable(out: LineBuffer, name: Uint8Array, value: string | null | undefined): void {
  if (value === undefined) return;
  out.fixed(name);
  if (value === null) out.fixed(K_NULL);
  else out.repeated(value);
}

function number(out: LineBuffer, name: Uint8Array, value: number | undefined): void {
  if (value === undefined) return;
  out.fixed(name);
  out.number(value);
}

function json(out: LineBuffer, name: Uint8Array, value: unknown): void {
  out.fixed(name);
  out.json(jsonText(value));
}

/** Most lines are shorter. */
const LINE = new LineBuffer(4096);

const K_SEQ = asciiBytes('{"seq":');
const K_TIME = asciiBytes(',"time":"');
const K_STARTED = asciiBytes('","started":"');
const K_KIND = asciiBytes('","kind":"');
const K_PROTOCOL = asciiBytes('","protocol":"');
const K_FROM = asciiBytes('","from":');
const K_TO = asciiBytes(',"to":');
const K_LABEL = asciiBytes(',"label":');
const K_EXCHANGE = asciiBytes(',"exchange":');
const K_CONNECTION = asciiBytes(',"connection":');
const K_STREAM = asciiBytes(',"stream":');
const K_NULL = asciiBytes('null');
const K_FRAMES = asciiBytes(',"frames":[');
const K_INITIAL = asciiBytes(',"initial":true');
const K_OBJECT = asciiBytes(',"object":{"kind":');
const K_CAPTURE = asciiBytes(',"capture":');
const K_LAST_CAPTURE = asciiBytes(',"lastCapture":');
const K_INFERRED = asciiBytes(',"inferred":');
const K_CAUSED_BY = asciiBytes(',"causedBy":');
const K_METHOD = asciiBytes(',"method":');
const K_TARGET = asciiBytes(',"target":');
const K_USER_AGENT = asciiBytes(',"userAgent":');
const K_VERB = asciiBytes(',"verb":');
const K_API_GROUP = asciiBytes(',"apiGroup":');
const K_API_VERSION = asciiBytes(',"apiVersion":');
const K_RESOURCE = asciiBytes(',"resource":');
const K_SUBRESOURCE = asciiBytes(',"subresource":');
const K_NAMESPACE = asciiBytes(',"namespace":');
const K_NAME = asciiBytes(',"name":');
const K_STATUS = asciiBytes(',"status":');
const K_REASON = asciiBytes(',"reason":');
const K_STATUS_MESSAGE = asciiBytes(',"statusMessage":');
const K_AUDIT_ID = asciiBytes(',"auditId":');
const K_LATENCY_MS = asciiBytes(',"latencyMs":');
const K_TYPE = asciiBytes(',"type":');
const K_REPORT = asciiBytes(',"report":');
const K_CHANNEL = asciiBytes(',"channel":');
const K_BYTES = asciiBytes(',"bytes":');
const K_EXIT_CODE = asciiBytes(',"exitCode":');
const K_VIA = asciiBytes(',"via":');
const K_TRANSLATED = asciiBytes(',"translated":');
const K_UID = asciiBytes(',"uid":');
const K_RESOURCE_VERSION = asciiBytes(',"resourceVersion":');
const K_GENERATION = asciiBytes(',"generation":');
const K_OWNERS = asciiBytes(',"owners":');
const K_ITEMS = asciiBytes(',"items":');
const K_ROWS = asciiBytes(',"rows":');
const K_SERVICE = asciiBytes(',"service":');
const K_RPC_METHOD = asciiBytes(',"rpcMethod":');
const K_GRPC_STATUS = asciiBytes(',"grpcStatus":');
const K_KEY = asciiBytes(',"key":');
const K_REVISION = asciiBytes(',"revision":');
const K_POD_SANDBOX_ID = asciiBytes(',"podSandboxId":');
const K_CONTAINER_ID = asciiBytes(',"containerId":');
const K_IMAGE = asciiBytes(',"image":');
