// Exchanges as HAR 1.2 (softwareishard.com/blog/har-12-spec), for browser tools and whatever reads such files. Knows the
// format's fields; heads and bodies come redacted through a message's details. What HAR has no field for stands in fields
// that begin with `_`, as the format wants it.

import { hostOf, serverOf } from '../../core/connection-name.js';
import type { HeaderField } from '../../kubernetes/messages/details-types.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { jsonText } from '../escape/json-text.js';
import { formatTime } from '../time.js';
import { contentOf, headersOf, postDataOf, queryOf, sizeOf } from './har-parts.js';
import { Schemes, urlOf } from './har-url.js';

export interface HarOptions {
  readonly version: string;
  /** Decoded bodies too. */
  readonly bodies: boolean;
  /** Names of the captures, where there are several. */
  readonly captures?: readonly string[];
  readonly digits: (capture: number) => number;
}

/** @param messages of any number of exchanges, in order. @yields pieces of one JSON document. */
export function* renderHar(messages: readonly Message[], options: HarOptions): Generator<string> {
  const talks = entrySourcesOf(messages);
  const schemes = new Schemes(messages);
  const log = { version: '1.2', creator: { name: 'kubeseq', version: options.version } };
  yield `{"log":${jsonText(log).slice(0, -1)},"entries":[`;
  let separator = '\n';
  for (const source of talks) {
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
  const talks = new Map<number, HarEntrySource>();
  for (const message of messages) {
    let source = talks.get(message.exchange);
    if (source === undefined) {
      source = { parts: [] };
      talks.set(message.exchange, source);
    }
    if (message.kind === 'request') source.request = message;
    else if (message.kind === 'response') source.response = message;
    else source.parts.push(message);
  }
  return talks.values();
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

/** Everything that the capture lacks is said where a reader of the entry looks. */
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

/** In ms. Of a watch, `receive` lasts to its last event. */
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
