// Renders exchanges as HAR 1.2 (softwareishard.com/blog/har-12-spec). Facts without a HAR field stand in fields that begin with `_`, as
// the format requires.

import { hostOf, serverOf } from '../../core/connection-name.js';
import type { HeaderField } from '../../kubernetes/messages/details-types.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { jsonText } from '../escape/json-text.js';
import { formatTime } from '../time.js';

export interface HarOptions {
  readonly version: string;
  /** Includes decoded bodies. */
  readonly bodies: boolean;
  /** Names of the captures, if there are several. */
  readonly captures?: readonly string[];
  readonly digits: (capture: number) => number;
}

/** @param messages of any number of exchanges, in order. @yields pieces of one JSON document. */
export function* renderHar(messages: readonly Message[], options: HarOptions): Generator<string> {
  const sources = entrySourcesOf(messages);
  const schemes = new Schemes(messages);
  const log = { version: '1.2', creator: { name: 'kubeseq', version: options.version } };
  yield `{"log":${jsonText(log).slice(0, -1)},"entries":[`;
  let separator = '\n';
  for (const source of sources) {
    yield `${separator}${jsonText(entry(source, schemes, options))}`;
    separator = ',\n';
  }
  yield '\n]}}\n';
}

interface HarEntrySource {
  request?: Message;
  response?: Message;
  /** Watch events and pieces of streams. */
  readonly parts: Message[];
}

/** In the order of their first message. */
function entrySourcesOf(messages: readonly Message[]): Iterable<HarEntrySource> {
  const sources = new Map<number, HarEntrySource>();
  for (const message of messages) {
    let source = sources.get(message.exchange);
    if (source === undefined) {
      source = { parts: [] };
      sources.set(message.exchange, source);
    }
    if (message.kind === 'request') source.request = message;
    else if (message.kind === 'response') source.response = message;
    else source.parts.push(message);
  }
  return sources.values();
}

function entry(source: HarEntrySource, schemes: Schemes, options: HarOptions): object {
  const { request, response, parts } = source;
  const first = (request ?? response ?? parts[0]) as Message;
  const timings = timingsOf(source);
  return {
    startedDateTime: formatTime(first.started, options.digits(first.capture)),
    time: timings.send + timings.wait + timings.receive,
    request: requestOf(source, schemes, options),
    response: responseOf(source, options),
    cache: {},
    timings,
    serverIPAddress: hostOf(serverOf(first.connection)),
    connection: first.stream === null ? first.connection : `${first.connection} stream ${first.stream}`,
    comment: comments(source).join('; '),
    _from: (request?.from ?? response?.to ?? first.to).name,
    _to: (request?.to ?? response?.from ?? first.from).name,
    _messages: [request, response, ...parts].flatMap((message) =>
      message === undefined ? [] : [place(message, options)],
    ),
  };
}

/** The entry's comment names everything that the capture lacks. */
function comments({ request, response, parts }: HarEntrySource): string[] {
  const out: string[] = [];
  if (request === undefined) out.push('the request was before the capture');
  else if (!request.complete) out.push('bytes of the request are missing');
  if (request !== undefined && request.target === undefined && request.rpcMethod == null)
    out.push('the path is not in the capture');
  if (response === undefined) out.push('no answer in the capture');
  else if (!response.complete) out.push('bytes of the response are missing');
  if (parts.length > 0) out.push(`${parts.length} events or pieces`);
  return out;
}

function place(message: Message, { captures, digits, bodies }: HarOptions): object {
  const { seq, kind, label, frames, capture, complete, inferred, causedBy } = message;
  const isPart = kind === 'event' || kind === 'data';
  return {
    seq,
    kind,
    time: formatTime(message.time, digits(capture)),
    label,
    frames,
    capture: captures?.[capture],
    complete,
    inferred,
    causedBy,
    body: bodies && isPart ? message.details?.body() : undefined,
  };
}

function requestOf({ request, response, parts }: HarEntrySource, schemes: Schemes, options: HarOptions): object {
  const fields = request?.details?.fields() ?? [];
  const first = (request ?? response ?? parts[0]) as Message;
  return {
    method: request?.method ?? (request?.service === undefined ? '' : 'POST'),
    url: urlOf(first, fields, schemes),
    httpVersion: versionOf(first),
    cookies: [],
    headers: headersOf(fields),
    queryString: queryOf(request?.target),
    postData: options.bodies ? postDataOf(request?.details?.body(), fields) : undefined,
    headersSize: -1,
    bodySize: sizeOf(fields),
  };
}

function responseOf({ response, parts }: HarEntrySource, options: HarOptions): object {
  const fields: readonly HeaderField[] = response?.details?.fields() ?? [];
  return {
    status: response?.status ?? 0,
    statusText: response === undefined ? '' : (/^\[RESP\] \d+ ([^,]*)/.exec(response.label)?.[1] ?? ''),
    httpVersion: response === undefined ? '' : versionOf(response),
    cookies: [],
    headers: headersOf(fields),
    content: contentOf(response, parts, fields, options.bodies),
    redirectURL: fields.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '',
    headersSize: -1,
    bodySize: sizeOf(fields),
  };
}

function versionOf({ stream }: Message): string {
  return stream === null ? 'HTTP/1.1' : 'HTTP/2';
}

/** In ms. The `receive` of a watch lasts to its last event. */
function timingsOf({ request, response, parts }: HarEntrySource): { send: number; wait: number; receive: number } {
  const last = parts[parts.length - 1];
  const end = last === undefined || (response !== undefined && response.time > last.time) ? response?.time : last.time;
  const begin = response?.started ?? parts[0]?.started;
  return {
    send: request === undefined ? 0 : milliseconds(request.time - request.started),
    wait: Math.max(0, response?.latencyMs ?? 0),
    receive: begin === undefined || end === undefined ? 0 : milliseconds(end - begin),
  };
}

function milliseconds(ns: bigint): number {
  return ns <= 0n ? 0 : Number(ns) / 1e6;
}

interface NameValue {
  readonly name: string;
  readonly value: string;
}

function headersOf(fields: readonly HeaderField[]): NameValue[] {
  return fields.map(([name, value]) => ({ name, value }));
}

/** @param target redacted, as on the wire. */
function queryOf(target: string | undefined): NameValue[] {
  const at = target?.indexOf('?') ?? -1;
  if (target === undefined || at < 0) return [];
  return target
    .slice(at + 1)
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const equals = parameter.indexOf('=');
      const [name, value] = equals < 0 ? [parameter, ''] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
      return { name: plain(name), value: plain(value) };
    });
}

/** Bytes on the wire, as the sender announced them; -1 if it did not. */
function sizeOf(fields: readonly HeaderField[]): number {
  const length = valueOfField(fields, 'content-length');
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : -1;
}

function postDataOf(body: unknown, fields: readonly HeaderField[]): object | undefined {
  if (body === undefined || body === null) return undefined;
  return { mimeType: valueOfField(fields, 'content-type') ?? '', text: bodyText(body), comment: DECODED };
}

/** The decoded body; for a watch its events, one for each line. */
function contentOf(
  response: Message | undefined,
  parts: readonly Message[],
  fields: readonly HeaderField[],
  bodies: boolean,
): object {
  const mimeType = valueOfField(fields, 'content-type') ?? 'x-unknown';
  const size = sizeOf(fields);
  if (!bodies) return { size, mimeType };
  const body = response?.details?.body();
  const events = parts.filter(({ kind }) => kind === 'event').map(({ details }) => bodyText(details?.body() ?? {}));
  if ((body === undefined || body === null) && events.length === 0) return { size, mimeType };
  const text = body === undefined || body === null ? `${events.join('\n')}\n` : bodyText(body);
  return { size, mimeType, text, comment: DECODED };
}

function valueOfField(fields: readonly HeaderField[], wanted: string): string | undefined {
  return fields.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function bodyText(body: unknown): string {
  if (typeof body === 'string') return body;
  try {
    return JSON.stringify(body);
  } catch {
    return '{"$tooDeep":true}';
  }
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The text differs from the bytes on the wire. */
const DECODED = 'decoded by kubeseq to JSON, and redacted';

/** Schemes of servers: every HTTP/2 request carries its scheme, no HTTP/1.1 request does. */
class Schemes {
  readonly #known = new Map<string, string>();

  constructor(messages: readonly Message[]) {
    for (const { kind, connection, details } of messages) {
      const server = serverOf(connection);
      if (kind !== 'request' || details === undefined || this.#known.has(server)) continue;
      const scheme = valueOfField(details.fields(), ':scheme');
      if (scheme !== undefined) this.#known.set(server, scheme);
    }
  }

  /** The scheme in another request to this server, else that of its port. */
  of(server: string): string {
    return this.#known.get(server) ?? (TLS_PORTS.has(server.slice(server.lastIndexOf(':') + 1)) ? 'https' : 'http');
  }
}

/** The URL of a request, put together from its parts. @param message the request, else another message of the exchange. @param fields of the request. */
function urlOf(message: Message, fields: readonly HeaderField[], schemes: Schemes): string {
  const server = serverOf(message.connection);
  const { target, service, rpcMethod } = message;
  if (target !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return target;
  const authority = valueOfField(fields, ':authority') ?? valueOfField(fields, 'host') ?? bracketed(server);
  const scheme = valueOfField(fields, ':scheme') ?? schemes.of(server);
  const path = service === undefined ? (target ?? `/${UNKNOWN}`) : `/${service}/${rpcMethod ?? UNKNOWN}`;
  return `${scheme}://${authority}${path.startsWith('/') ? path : `/${path}`}`;
}

/** RFC 3986: an IPv6 address is written in brackets. */
function bracketed(server: string): string {
  const at = server.lastIndexOf(':');
  const address = server.slice(0, at);
  return address.includes(':') ? `[${address}]${server.slice(at)}` : server;
}

/** Ports of Kubernetes servers that use TLS: API server, kubelet, webhooks. */
const TLS_PORTS = new Set(['443', '6443', '8443', '9443', '10250', '10257', '10259']);

/** `…`: a path that the capture lacks must not read as `/`. */
const UNKNOWN = '%E2%80%A6';
