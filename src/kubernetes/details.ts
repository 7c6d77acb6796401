// What a message refers to and does not hold: the fields of its head and its body, decoded and redacted when somebody
// asks. Knows which encoding stands behind which door; what a secret is, the redaction says.
//
// Nothing raw leaves here: what cannot be decoded, and what a program sends through a cluster (exec, logs, port-forward,
// an application's own HTTP), is told by its size: { "$bytes": 1024, "$contentType": "text/plain" }.

import { text } from '../core/bytes.js';
import { fieldValue } from '../core/fields.js';
import type { Body, Exchange } from '../http/exchange-event.js';
import { rpcBody } from './details-rpc.js';
import type { Part } from './draft.js';
import { objectFields } from './objects/object-fields.js';
import { requestInfo } from './request-info.js';
import type { Talk } from './talk.js';
import { watchEvent } from './watch-event.js';

export interface Details {
  /** Header fields as they came, redacted; none where the message has no head of its own. */
  fields(): readonly HeaderField[];
  /** The body as a plain value that JSON can write, redacted; undefined where there is none. */
  body(): unknown;
}

export type HeaderField = readonly [name: string, value: string];

/** What of the one redaction (src/redaction) details need. */
export interface DetailsRedaction {
  text(value: string): string;
  field(name: string, value: string): string;
  /** undefined: nothing of it may be shown. */
  object(value: unknown, context: BodyContext): unknown;
}

export interface BodyContext {
  readonly resource?: string;
  readonly subresource?: string;
  readonly application?: boolean;
}

/** @param event is kept, but for the bytes of a tunnel, which are borrowed and never shown. */
export function detailsOf(event: Part, talk: Talk, redaction: DetailsRedaction): Details {
  return new PartDetails(event.kind === 'tunnel' ? { ...event, bytes: NO_BYTES } : event, talk, redaction);
}

/** How many bytes there are, in place of bytes that are not shown. */
export function bytesMarker(length: number, contentType?: string): object {
  return contentType === undefined || contentType === ''
    ? { $bytes: length }
    : { $bytes: length, $contentType: contentType };
}

class PartDetails implements Details {
  readonly #event: Part;
  readonly #talk: Talk;
  readonly #redaction: DetailsRedaction;

  constructor(event: Part, talk: Talk, redaction: DetailsRedaction) {
    this.#event = event;
    this.#talk = talk;
    this.#redaction = redaction;
  }

  fields(): readonly HeaderField[] {
    const { kind, exchange } = this.#event;
    const head = kind === 'request' ? exchange.request : kind === 'response' ? exchange.response : null;
    if (head === null) return [];
    const out: HeaderField[] = [];
    for (let i = 0; i + 1 < head.fields.length; i += 2)
      out.push([head.fields[i], this.#redaction.field(head.fields[i], head.fields[i + 1])]);
    return out;
  }

  body(): unknown {
    const event = this.#event;
    if (event.kind === 'tunnel') return undefined;
    if (event.kind === 'item') return this.#item(event.bytes, event.from);
    return event.body === null || event.body.length === 0 ? undefined : this.#whole(event.body);
  }

  #whole(body: Body): unknown {
    const { exchange, kind } = this.#event;
    const contentType = this.#redaction.text(body.contentType);
    const marker = bytesMarker(body.length, contentType);
    const { bytes } = body.read();
    if (bytes.length === 0) return marker;
    const rpc = rpcBody(exchange.request?.target, kind === 'request', bytes, this.#redaction);
    if (rpc !== undefined) return rpc ?? marker;
    const decoded = objectFields(bytes, contentType);
    if (decoded === null || !isStructured(decoded)) return this.#text(bytes, contentType) ?? marker;
    return this.#redaction.object(decoded, this.#context) ?? marker;
  }

  /** One message of a stream: an RPC's, or a watch event. */
  #item(bytes: Uint8Array, from: 'client' | 'server'): unknown {
    const { request, response } = this.#event.exchange;
    const rpc = rpcBody(request?.target, from === 'client', bytes, this.#redaction);
    if (rpc !== undefined) return rpc ?? bytesMarker(bytes.length);
    const contentType = (response === null ? undefined : fieldValue(response.fields, 'content-type')) ?? '';
    const event = this.#talk.door.protocol === 'kubernetes' ? watchEvent(bytes, contentType) : null;
    if (event === null) return bytesMarker(bytes.length, this.#redaction.text(contentType));
    const object =
      event.objectBytes.length === 0
        ? member(objectFields(bytes, contentType), 'object')
        : objectFields(event.objectBytes, event.objectContentType);
    const shown = isStructured(object) ? this.#redaction.object(object, this.#context) : undefined;
    return { type: event.type, object: shown ?? bytesMarker(event.objectBytes.length) };
  }

  /** Text is shown where the API server speaks of itself (`/readyz`, `/version`, `/metrics`); all else may be anything. */
  #text(bytes: Uint8Array, contentType: string): string | undefined {
    const isOwn = this.#event.kind === 'response' && this.#talk.info?.nonResource != null;
    if (!isOwn || !contentType.startsWith('text/plain') || bytes.length > TEXT_LIMIT) return undefined;
    return this.#redaction.text(text(bytes));
  }

  get #context(): BodyContext {
    const { info, door } = this.#talk;
    if (door.protocol === 'kubernetes') {
      const asked = info ?? infoOf(this.#event.exchange);
      const isPayload = asked?.verb === 'proxy' || PAYLOAD_SUBRESOURCES.has(asked?.subresource ?? '');
      return { resource: asked?.resource, subresource: asked?.subresource, application: isPayload };
    }
    const path = this.#event.exchange.request?.target ?? '';
    if (door.protocol === 'docker')
      return { resource: DOCKER_STORE.exec(path)?.[1], application: DOCKER_PAYLOAD.test(path) };
    if (door.protocol === 'kubelet') return { application: !KUBELET_OWN.test(path) };
    return { application: door.protocol !== 'registry' };
  }
}

function infoOf({ request }: Exchange): { verb: string; resource?: string; subresource?: string } | null {
  return request?.method == null || request.target === null ? null : requestInfo(request.method, request.target);
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const NO_BYTES = new Uint8Array(0);
/** Metrics of a large API server are a few MiB; nobody reads them in a message. */
const TEXT_LIMIT = 64 * 1024;
/** What goes through them is the Pod's, not the cluster's. */
const PAYLOAD_SUBRESOURCES = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
/** Docker keeps secrets and configs of its own. */
const DOCKER_STORE = /^\/(?:v\d[\d.]*\/)?(secrets|configs)(?:[/?]|$)/;
const DOCKER_PAYLOAD =
  /^\/(?:v\d[\d.]*\/)?(?:containers\/[^/]+\/(?:logs|attach|archive|export)|exec\/[^/]+\/start|build)(?:[/?]|$)/;
/** pkg/kubelet/server/server.go: what tells of the kubelet itself. */
const KUBELET_OWN = /^\/(?:pods|runningpods|stats|spec|healthz|configz|checkpoint)(?:[/?]|$)/;
