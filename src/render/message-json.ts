// A message as one JSON object, with the field names and formats of the contract: the line of `messages -o ndjson`, and
// the messages inside a picture's JSON. Written by hand because it is the hot end of the whole pipeline: JSON.stringify
// of a fresh object took as long as reading the capture.

import type { Message } from '../kubernetes/message.js';
import { formatTime } from './time.js';

export interface MessageJsonOptions {
  /** Names of the captures, where there are several. */
  readonly captures?: readonly string[];
  /** Digits of a second's fraction that each capture has: 6 or 9. */
  readonly digits: (capture: number) => number;
}

/** One JSON object without line breaks. */
export function messageLine(message: Message, options: MessageJsonOptions): string {
  const { stream, frames, object, report } = message;
  const digits = options.digits(message.capture);
  let line = `{"seq":${message.seq},"time":"${formatTime(message.time, digits)}"`;
  if (message.started !== message.time) line += `,"started":"${formatTime(message.started, digits)}"`;
  line += `,"kind":"${message.kind}","protocol":"${message.protocol}","from":${quoted(message.from.name)},"to":${quoted(message.to.name)}`;
  line += `,"label":${quoted(message.label)},"exchange":${message.exchange},"connection":${quoted(message.connection)}`;
  line += `,"stream":${stream},"frames":[${frames[0]},${frames[1]}]`;
  if (options.captures !== undefined) line += `,"capture":${quoted(options.captures[message.capture] ?? '')}`;
  line += `,"complete":${message.complete}`;
  if (message.inferred !== undefined) line += `,"inferred":${JSON.stringify(message.inferred)}`;
  if (message.causedBy !== undefined) line += `,"causedBy":${message.causedBy}`;
  line += text('method', message.method) + text('target', message.target) + text('userAgent', message.userAgent);
  if (message.verb !== undefined || message.resource !== undefined) {
    line += text('verb', message.verb) + text('apiGroup', message.apiGroup) + text('apiVersion', message.apiVersion);
    line += text('resource', message.resource) + text('subresource', message.subresource);
    line += text('namespace', message.namespace) + text('name', message.name);
  }
  if (message.status !== undefined) line += `,"status":${message.status}`;
  if (message.reason !== '') line += text('reason', message.reason);
  line += text('auditId', message.auditId);
  if (message.latencyMs !== undefined) line += `,"latencyMs":${message.latencyMs}`;
  if (object !== undefined) line += `,"object":${objectText(object)}`;
  line += text('type', message.type);
  if (message.initial === true) line += ',"initial":true';
  if (report !== undefined) line += `,"report":${JSON.stringify(report)}`;
  if (message.rpcMethod !== undefined) line += rpcText(message);
  line += text('channel', message.channel);
  if (message.bytes !== undefined) line += `,"bytes":${message.bytes}`;
  if (message.exitCode !== undefined) line += `,"exitCode":${message.exitCode}`;
  return `${line}}`;
}

/** The same as an object, for the outputs that take their fields from it. */
export function messageJson(message: Message, options: MessageJsonOptions): Record<string, unknown> {
  return JSON.parse(messageLine(message, options)) as Record<string, unknown>;
}

function objectText(object: NonNullable<Message['object']>): string {
  let line = `{"kind":${quoted(object.kind)}`;
  line += nullable('apiVersion', object.apiVersion) + nullable('namespace', object.namespace);
  line += nullable('name', object.name) + nullable('uid', object.uid);
  line += nullable('resourceVersion', object.resourceVersion);
  if (object.generation !== undefined) line += `,"generation":${object.generation}`;
  if (object.owners !== undefined) line += `,"owners":${JSON.stringify(object.owners)}`;
  if (object.items !== undefined) line += `,"items":${object.items}`;
  if (object.rows !== undefined) line += `,"rows":${object.rows}`;
  return `${line}}`;
}

function rpcText(message: Message): string {
  let line = text('service', message.service) + nullable('rpcMethod', message.rpcMethod);
  if (message.grpcStatus !== undefined) line += `,"grpcStatus":${message.grpcStatus}`;
  line += text('key', message.key) + text('revision', message.revision);
  if (message.succeeded !== undefined) line += `,"succeeded":${message.succeeded}`;
  line += text('podSandboxId', message.podSandboxId) + text('containerId', message.containerId);
  return line + text('image', message.image);
}

function text(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quoted(value)}`;
}

function nullable(name: string, value: string | null | undefined): string {
  return value === undefined ? '' : value === null ? `,"${name}":null` : `,"${name}":${quoted(value)}`;
}

function quoted(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** What JSON need not escape, of the characters that names and paths are made of. */
const PLAIN = /^[ !#-[\]-~]*$/;
