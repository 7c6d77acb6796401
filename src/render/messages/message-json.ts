// A message as one JSON object, with the field names and formats of the contract: the line of `messages -o ndjson`, and
// the messages inside a picture's JSON. Written field by field into bytes because it is the hot end of the whole
// pipeline: JSON.stringify of a fresh object took as long as reading the capture.

import type { Message } from '../../kubernetes/messages/message.js';
import { jsonText } from '../escape/json-text.js';
import { writeTime } from '../time.js';
import { asciiBytes, LineBuffer } from './line-buffer.js';
import { nullable, text, writeAsked, writeIdentity, writeSpeakers } from './message-parts.js';

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
  const { stream, frames, object, k8sEvent } = message;
  const digits = options.digits(message.capture);
  out.fixed(K_SEQ);
  out.number(message.seq);
  out.fixed(K_TIME);
  writeTime(out, message.time, digits);
  if (message.started !== message.time) {
    out.fixed(K_STARTED);
    writeTime(out, message.started, digits);
  }
  writeSpeakers(out, message);
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
  out.byte(COMMA);
  out.number(frames[1]);
  out.byte(BRACKET);
  if (options.captures !== undefined) {
    text(out, K_CAPTURE, options.captures[message.capture] ?? '');
    if (message.lastCapture !== undefined) text(out, K_LAST_CAPTURE, options.captures[message.lastCapture] ?? '');
  }
  out.fixed(message.complete ? K_COMPLETE : K_INCOMPLETE);
  if (message.inferred !== undefined) json(out, K_INFERRED, message.inferred);
  number(out, K_CAUSED_BY, message.causedBy);
  writeAsked(out, message);
  if (message.user !== undefined) {
    text(out, K_USER, message.user);
    text(out, K_USER_FROM, message.userFrom);
  }
  number(out, K_STATUS, message.status);
  if (message.reason !== '') text(out, K_REASON, message.reason);
  text(out, K_STATUS_MESSAGE, message.statusMessage);
  once(out, K_AUDIT_ID, message.auditId);
  number(out, K_LATENCY_MS, message.latencyMs);
  if (object !== undefined) writeObject(out, object);
  text(out, K_TYPE, message.type);
  if (message.initial === true) out.fixed(K_INITIAL);
  if (k8sEvent !== undefined) json(out, K_K8S_EVENT, k8sEvent);
  if (message.claims !== undefined) json(out, K_CLAIMS, message.claims);
  if (message.missing !== undefined) json(out, K_MISSING, message.missing);
  if (message.dryRun === true) out.fixed(K_DRY_RUN);
  if (message.warnings !== undefined) json(out, K_WARNINGS, message.warnings);
  if (message.problems !== undefined) json(out, K_PROBLEMS, message.problems);
  if (message.appliedFor !== undefined) json(out, K_APPLIED_FOR, message.appliedFor);
  if (message.release !== undefined) json(out, K_RELEASE, message.release);
  if (message.patch !== undefined) json(out, K_PATCH, message.patch);
  if (message.rpcMethod !== undefined) writeRpc(out, message);
  text(out, K_CHANNEL, message.channel);
  number(out, K_BYTES, message.bytes);
  number(out, K_EXIT_CODE, message.exitCode);
  if (message.via !== undefined) json(out, K_VIA, message.viaNames ?? message.via.map((one) => one.name));
  if (message.translated !== undefined && message.translated.length > 0) writeCopies(out, message.translated, options);
  out.byte(BRACE);
}

function writeObject(out: LineBuffer, object: NonNullable<Message['object']>): void {
  writeIdentity(out, object);
  if (object.resourceVersion === null) nullable(out, K_RESOURCE_VERSION, null);
  else once(out, K_RESOURCE_VERSION, object.resourceVersion);
  number(out, K_GENERATION, object.generation);
  text(out, K_DELETION, object.deletionTimestamp);
  if (object.owners !== undefined) json(out, K_OWNERS, object.owners);
  number(out, K_ITEMS, object.items);
  number(out, K_ROWS, object.rows);
  if (object.row !== undefined) json(out, K_ROW, object.row);
  out.byte(BRACE);
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

/** A text that no other message is likely to have. */
function once(out: LineBuffer, name: Uint8Array, value: string | undefined): void {
  if (value === undefined) return;
  out.fixed(name);
  out.quoted(value);
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

const COMMA = 0x2c;
const BRACKET = 0x5d;
const BRACE = 0x7d;
/** Most lines are shorter. */
const LINE = new LineBuffer(4096);

const K_SEQ = asciiBytes('{"seq":');
const K_TIME = asciiBytes(',"time":"');
const K_STARTED = asciiBytes('","started":"');
const K_LABEL = asciiBytes(',"label":');
const K_EXCHANGE = asciiBytes(',"exchange":');
const K_CONNECTION = asciiBytes(',"connection":');
const K_STREAM = asciiBytes(',"stream":');
const K_NULL = asciiBytes('null');
const K_FRAMES = asciiBytes(',"frames":[');
const K_COMPLETE = asciiBytes(',"complete":true');
const K_INCOMPLETE = asciiBytes(',"complete":false');
const K_INITIAL = asciiBytes(',"initial":true');
const K_CAPTURE = asciiBytes(',"capture":');
const K_LAST_CAPTURE = asciiBytes(',"lastCapture":');
const K_INFERRED = asciiBytes(',"inferred":');
const K_CAUSED_BY = asciiBytes(',"causedBy":');
const K_USER = asciiBytes(',"user":');
const K_USER_FROM = asciiBytes(',"userFrom":');
const K_STATUS = asciiBytes(',"status":');
const K_REASON = asciiBytes(',"reason":');
const K_STATUS_MESSAGE = asciiBytes(',"statusMessage":');
const K_AUDIT_ID = asciiBytes(',"auditId":');
const K_LATENCY_MS = asciiBytes(',"latencyMs":');
const K_TYPE = asciiBytes(',"type":');
const K_DRY_RUN = asciiBytes(',"dryRun":true');
const K_CLAIMS = asciiBytes(',"claims":');
const K_MISSING = asciiBytes(',"missing":');
const K_WARNINGS = asciiBytes(',"warnings":');
const K_PROBLEMS = asciiBytes(',"problems":');
const K_APPLIED_FOR = asciiBytes(',"appliedFor":');
const K_RELEASE = asciiBytes(',"release":');
const K_PATCH = asciiBytes(',"patch":');
const K_K8S_EVENT = asciiBytes(',"k8sEvent":');
const K_CHANNEL = asciiBytes(',"channel":');
const K_BYTES = asciiBytes(',"bytes":');
const K_EXIT_CODE = asciiBytes(',"exitCode":');
const K_VIA = asciiBytes(',"via":');
const K_TRANSLATED = asciiBytes(',"translated":');
const K_RESOURCE_VERSION = asciiBytes(',"resourceVersion":');
const K_GENERATION = asciiBytes(',"generation":');
const K_DELETION = asciiBytes(',"deletionTimestamp":');
const K_OWNERS = asciiBytes(',"owners":');
const K_ITEMS = asciiBytes(',"items":');
const K_ROWS = asciiBytes(',"rows":');
const K_ROW = asciiBytes(',"row":');
const K_SERVICE = asciiBytes(',"service":');
const K_RPC_METHOD = asciiBytes(',"rpcMethod":');
const K_GRPC_STATUS = asciiBytes(',"grpcStatus":');
const K_KEY = asciiBytes(',"key":');
const K_REVISION = asciiBytes(',"revision":');
const K_POD_SANDBOX_ID = asciiBytes(',"podSandboxId":');
const K_CONTAINER_ID = asciiBytes(',"containerId":');
const K_IMAGE = asciiBytes(',"image":');
