// Decodes and redacts the head and body that a message refers to, on demand. What cannot be decoded, and what a program sends through a
// cluster (exec, logs, port-forward), is shown by its size: { "$bytes": 1024, "$contentType": "text/plain" }.

import { text } from '../../core/bytes/bytes.js';
import { fieldValue } from '../../core/fields.js';
import type { Body, Exchange } from '../../http/exchange-event.js';
import { decode, type ProtoObject, type ProtoValue } from '../../protobuf/decode.js';
import type { ObjectContext, Redaction, Shown, ShownValue } from '../../redaction/redaction.js';
import { requestInfo } from '../api/request-info.js';
import { watchEvent } from '../api/watch-event.js';
import { operationsIn } from '../attributed/webhooks/review.js';
import { bytesMarker, type Details, type FailureTexts, type HeaderField, isShown } from '../messages/details-types.js';
import type { BodyPart } from '../messages/draft.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import { decodeBody } from '../objects/decode-body.js';
import { bodyContext, callTable } from './details-context.js';

/**
 * @param event is kept, but for the bytes of a tunnel, which are borrowed and never shown.
 * @param message names the method that was called where the request does not.
 */
export function detailsOf(
  event: BodyPart,
  exchangeContext: ExchangeContext,
  message: RpcCall,
  redaction: Redaction,
): Details {
  return new PartDetails(
    event.kind === 'tunnel' ? { ...event, bytes: NO_BYTES } : event,
    exchangeContext,
    message,
    redaction,
  );
}

interface RpcCall extends FailureTexts {
  readonly service?: string;
  readonly rpcMethod?: string | null;
}

class PartDetails implements Details {
  readonly #event: BodyPart;
  readonly #exchangeContext: ExchangeContext;
  readonly #message: RpcCall;
  readonly #redaction: Redaction;

  constructor(event: BodyPart, exchangeContext: ExchangeContext, message: RpcCall, redaction: Redaction) {
    this.#event = event;
    this.#exchangeContext = exchangeContext;
    this.#message = message;
    this.#redaction = redaction;
  }

  fields(): readonly HeaderField[] {
    const { kind, exchange } = this.#event;
    const head = kind === 'request' ? exchange.request : kind === 'response' ? exchange.response : null;
    if (head === null) return [];
    const out: HeaderField[] = [];
    for (let i = 0; i + 1 < head.fields.length; i += 2) {
      const name = head.fields[i];
      out.push([
        this.#redaction.fieldName(name),
        this.#redaction.field(name, head.fields[i + 1], isShown(this.#message, name)),
      ]);
    }
    return out;
  }

  body(): ShownValue | undefined {
    const event = this.#event;
    if (event.kind === 'item') return this.#item(event.bytes, event.from);
    if (event.kind !== 'request' && event.kind !== 'response') return undefined;
    return event.body === null || event.body.length === 0 ? undefined : this.#whole(event.body);
  }

  bodyBytes(): number | undefined {
    const event = this.#event;
    if (event.kind === 'item') return event.bytes.length;
    return event.kind === 'request' || event.kind === 'response' ? (event.body?.length ?? 0) : undefined;
  }

  #whole(body: Body): ShownValue {
    const { contentType } = body;
    const marker = bytesMarker(body.length, this.#mediaType(contentType));
    const { bytes } = body.read();
    if (bytes.length === 0) return marker;
    const rpc = rpcBody(this.#call, this.#event.kind === 'request', bytes, this.#redaction);
    if (rpc !== undefined) return rpc ?? marker;
    const decoded = decodeBody(bytes, contentType);
    if (decoded === null || !isStructured(decoded)) return this.#text(bytes, contentType) ?? marker;
    return this.#redaction.object(withPatch(decoded), this.#context) ?? marker;
  }

  /** One message of a stream: an RPC's, or a watch event. */
  #item(bytes: Uint8Array, from: 'client' | 'server'): ShownValue {
    const { response } = this.#event.exchange;
    const rpc = rpcBody(this.#call, from === 'client', bytes, this.#redaction);
    if (rpc !== undefined) return rpc ?? bytesMarker(bytes.length);
    const contentType = (response === null ? undefined : fieldValue(response.fields, 'content-type')) ?? '';
    const event = this.#exchangeContext.role.protocol === 'kubernetes' ? watchEvent(bytes, contentType) : null;
    if (event === null) return bytesMarker(bytes.length, this.#mediaType(contentType));
    const object =
      event.objectBytes.length === 0
        ? member(decodeBody(bytes, contentType), 'object')
        : decodeBody(event.objectBytes, event.objectContentType);
    const shown = isStructured(object) ? this.#redaction.object(object, this.#context) : undefined;
    return { type: this.#redaction.word(event.type), object: shown ?? bytesMarker(event.objectBytes.length) };
  }

  /** Text is shown where the API server reports on itself (`/readyz`, `/version`, `/metrics`); other text may be anything. */
  #text(bytes: Uint8Array, contentType: string): Shown | undefined {
    const isOwn = this.#event.kind === 'response' && this.#exchangeContext.info?.nonResource != null;
    if (!isOwn || !contentType.startsWith('text/plain') || bytes.length > TEXT_LIMIT) return undefined;
    return this.#redaction.text(text(bytes));
  }

  #mediaType(contentType: string): Shown {
    return this.#redaction.field('content-type', contentType);
  }

  get #call(): string | undefined {
    const { service, rpcMethod } = this.#message;
    return (
      this.#event.exchange.request?.target ?? (service === undefined ? undefined : `/${service}/${rpcMethod ?? ''}`)
    );
  }

  get #context(): ObjectContext {
    const { info, role } = this.#exchangeContext;
    const { exchange } = this.#event;
    const { reviewed } = this.#exchangeContext;
    const request = { ...(info ?? reviewed ?? infoOf(exchange)), service: this.#message.service };
    return bodyContext(role.protocol, request, exchange.request?.target ?? '');
  }
}

/** A review with the operations of its patch in place of their base64. */
function withPatch(body: unknown): unknown {
  if (member(body, 'kind') !== 'AdmissionReview') return body;
  const response = member(body, 'response');
  const patch = member(response, 'patch');
  const operations = typeof patch === 'string' ? operationsIn(patch) : null;
  return operations === null ? body : { ...(body as object), response: { ...(response as object), patch: operations } };
}

function infoOf({ request }: Exchange): { verb: string; resource?: string; subresource?: string } | null {
  // A path has its resource, whatever the method is.
  return request?.target == null ? null : requestInfo(request.method ?? 'PUT', request.target);
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const NO_BYTES = new Uint8Array(0);
/** Limit: characters of a text body that is shown; metrics of a large API server are a few MiB, which no reader needs in a message. */
const TEXT_LIMIT = 64 * 1024;

// Decodes the bodies of etcd and CRI calls by their field tables, and the Kubernetes objects that etcd holds as values. Bytes that no
// field names are not shown.

/**
 * @param target of the call: `/etcdserverpb.KV/Txn`.
 * @param isRequest which of the method's two messages it is.
 * @returns undefined where the target is no call that is known; null where the message could not be decoded.
 */
export function rpcBody(
  target: string | null | undefined,
  isRequest: boolean,
  bytes: Uint8Array,
  redaction: Redaction,
): ShownValue | undefined {
  const path = CALL.exec(target ?? '');
  const table = path === null ? undefined : callTable(path[1]);
  const method = path === null ? undefined : table?.method(path[1], path[2]);
  if (table === undefined || method === undefined) return undefined;
  const message = isRequest ? method.request : method.response;
  const { value, fault } = decode(table, message, bytes);
  if (fault === 'unknown-message' || fault === 'malformed') return null;
  return redaction.object(plainObject(value, '', redaction), { message }) ?? null;
}

/** @param key under which etcd keeps the values beside it. */
function plainObject(message: ProtoObject, key: string, redaction: Redaction): object {
  const own = message['key'] instanceof Uint8Array ? keyText(message['key']) : undefined;
  const entries = Object.entries(message).map(([name, value]): [string, unknown] => [
    name,
    plain(name, value, own ?? key, redaction),
  ]);
  return Object.fromEntries(entries);
}

function plain(name: string, value: ProtoValue, key: string, redaction: Redaction): unknown {
  if (value instanceof Uint8Array) return bytesField(name, value, key, redaction);
  if (Array.isArray(value)) return value.map((one) => plain(name, one, key, redaction));
  if (typeof value === 'object') return plainObject(value, key, redaction);
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

function bytesField(name: string, bytes: Uint8Array, key: string, redaction: Redaction): unknown {
  if (KEY_FIELDS.has(name)) return keyText(bytes) || bytesMarker(bytes.length);
  if (name !== 'value') return bytesMarker(bytes.length);
  // An object in Kubernetes' envelope or as JSON; encrypted values begin with `k8s:enc:` and are neither.
  const object = decodeBody(bytes, '');
  if (typeof object !== 'object' || object === null) return bytesMarker(bytes.length);
  const resource = STORED.exec(key)?.[1];
  return (
    redaction.object(object, { resource, application: resource === undefined ? 'objects' : undefined }) ??
    bytesMarker(bytes.length)
  );
}

/** Empty where the bytes are no text. */
function keyText(bytes: Uint8Array): string {
  const key = text(bytes);
  return NO_TEXT.test(key) ? '' : key;
}

const CALL = /^\/([\w.]+)\/(\w+)$/;
const KEY_FIELDS = new Set(['key', 'range_end', 'keys']);
/** `/registry/pods/default/nginx`, `/registry/apps.example.com/things/…` (k8s.io/apiserver storage keys). */
const STORED = /^\/registry\/(?:[^/]+\.[^/]+\/)?([^/]+)\//;
const NO_TEXT = /[\u0000-\u001f\u007f\ufffd]/;
