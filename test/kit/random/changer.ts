// A capture with other strings in it: between HTTP and the interpreter, header values, query values and strings of bodies are replaced by
// random ones that remember where they were put. Knows how exchanges are handed on; nothing of what may be shown.

import type { Body, Exchange, ExchangeEvent } from '../../../src/http/exchange-event.js';
import type { Fields } from '../../../src/http/http-event.js';
import { framesOf, type Message, MessageStage, type Notice, type PipelineItem } from '../../../src/index.js';
import { openEnvelope } from '../../../src/kubernetes/objects/envelope.js';
import type { ConnectionItem } from '../../../src/pipeline/exchange-stage.js';
import type { Table } from '../../../src/protobuf/table.js';
import { criTable, etcdTable, kubernetesTable } from '../../../src/protobuf/tables.js';
import { lengthed } from '../encode.js';
import { inPieces } from '../observed.js';
import { ChangedExchange } from './changed-exchange.js';
import { type BodyPlace, keyOf, type Look, NUMBERS, type Place } from './places.js';

/** Kinds of places whose strings are replaced in one run. */
export interface Filling {
  readonly name: string;
  readonly places: ReadonlySet<Place['in']>;
  /**
   * Words that decide what is made of a message, too: kinds, names, UIDs, types of watch events, reasons, `watch=true`, user agents.
   * Without them nothing is an Event that warns of something, so they stay in one run and go in another.
   */
  readonly guiding: boolean;
}

export interface RandomRun {
  readonly items: readonly PipelineItem[];
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** ns: the first frame. */
  readonly first: bigint | null;
  readonly places: ReadonlyMap<string, Place>;
}

export interface RandomOptions {
  readonly filling: Filling;
  readonly look: Look;
  /** Frames that are read. */
  readonly frames: number;
  readonly showSecrets?: boolean;
}

/** What the pipeline makes of a capture with random strings. */
export async function randomised(
  capture: Uint8Array,
  keyLogs: readonly string[],
  { filling, look, frames, showSecrets = false }: RandomOptions,
): Promise<RandomRun> {
  const changer = new Changer(filling, look);
  class ChangedStage extends MessageStage {
    override item(item: ConnectionItem): void {
      super.item(changer.changed(item));
    }
  }
  const pipeline = new ChangedStage({ keyLogs, bodies: true, reveal: { secrets: showSecrets } });
  const items = await itemsOf(pipeline, capture, frames);
  return {
    items,
    messages: items.flatMap((item) => (item.kind === 'message' ? [item.message] : [])),
    notices: items.filter((item): item is Notice => item.kind === 'notice'),
    first: pipeline.firstTime,
    places: changer.places,
  };
}

/** What comes of the beginning of a capture. */
export async function itemsOf(pipeline: MessageStage, capture: Uint8Array, frames: number): Promise<PipelineItem[]> {
  const items: PipelineItem[] = [];
  let count = 0;
  reading: for await (const inputs of (await framesOf([inPieces(capture, 65_536)]))!) {
    for (const input of inputs) {
      pipeline.push(input);
      if (input.kind === 'frame') count += 1;
      if (count >= frames) break reading;
    }
    items.push(...pipeline.drain());
  }
  return [...items, ...pipeline.end()];
}

class Changer {
  readonly places = new Map<string, Place>();
  readonly #filling: Filling;
  readonly #look: Look;
  readonly #guiding: boolean;
  readonly #strings = new Map<string, string>();
  readonly #exchanges = new WeakMap<Exchange, ChangedExchange>();

  constructor(filling: Filling, look: Look) {
    this.#filling = filling;
    this.#look = look;
    this.#guiding = filling.guiding;
  }

  changed(item: ConnectionItem): ConnectionItem {
    switch (item.kind) {
      case 'request':
      case 'response': {
        const exchange = this.#exchange(item.exchange);
        const body = item.body === null ? null : this.#body(item.body, item.exchange);
        return { ...item, exchange, body };
      }
      case 'item':
        return { ...item, exchange: this.#exchange(item.exchange), bytes: this.#item(item) };
      case 'channel':
      case 'tunnel':
      case 'exchange-end':
        return { ...item, exchange: this.#exchange(item.exchange) };
      default:
        return item;
    }
  }

  /** The same string for the same value in the same place, so that what belongs together still does. */
  #random(place: Place, value: string): string {
    if (value === '' || !this.#filling.places.has(place.in)) return value;
    const key = `${keyOf(place)}\n${value}`;
    let made = this.#strings.get(key);
    if (made === undefined) {
      const { make, pattern } = place.in === 'number' ? NUMBERS : this.#look;
      made = make(Math.imul(this.#strings.size + 1, 0x9e3779b1) >>> 0);
      this.#strings.set(key, made);
      this.places.set(made.match(pattern)?.[0] ?? made, place);
    }
    return made;
  }

  #exchange(exchange: Exchange): Exchange {
    let changed = this.#exchanges.get(exchange);
    if (changed === undefined) {
      changed = new ChangedExchange(exchange, {
        request: (head) => ({ ...head, target: this.#target(head.target), fields: this.#fields(head.fields) }),
        response: (head) => ({ ...head, fields: this.#fields(head.fields) }),
        fields: (fields) => this.#fields(fields),
      });
      this.#exchanges.set(exchange, changed);
    }
    return changed;
  }

  #target(target: string | null): string | null {
    const query = target?.indexOf('?') ?? -1;
    if (target === null) return target;
    if (this.#filling.places.has('segment')) return this.#otherTarget(target);
    if (query < 0) return target;
    const path = target.slice(0, query);
    const parameters = target.slice(query + 1).split('&');
    const changed = parameters.map((parameter) => {
      const equals = parameter.indexOf('=');
      const name = parameter.slice(0, equals);
      if (equals < 0 || (!this.#guiding && GUIDING_PARAMETERS.has(name))) return parameter;
      const place: Place = { in: 'query', path, name };
      return `${name}=${this.#encoded(place, parameter.slice(equals + 1))}`;
    });
    return `${path}?${changed.join('&')}`;
  }

  #encoded(place: Place, value: string): string {
    const made = this.#random(place, value);
    return made === value ? value : encodeURIComponent(made);
  }

  /** Other segments behind the object, or at the end of a path that is none of the API's; other values of selectors. */
  #otherTarget(target: string): string {
    const [path, query] = target.split('?');
    if (/^\/(?:etcdserverpb|runtime\.v1)\./.test(path) || !path.startsWith('/')) return target;
    const object = OBJECT_PATH.exec(path);
    const [kept, rest, role] =
      object === null
        ? [
            path.slice(0, path.lastIndexOf('/')),
            path.slice(path.lastIndexOf('/')),
            KNOWN_PATH.test(path) ? 'name' : 'last of an unknown path',
          ]
        : [object[1], object[2], 'behind an object'];
    const segments = rest.split('/').slice(1);
    const changed = segments.map((one) => `/${this.#encoded({ in: 'segment', role }, one)}`).join('');
    const parameters = query?.split('&').map((parameter) => {
      const [name, value = ''] = parameter.split('=');
      if (name !== 'labelSelector' && name !== 'fieldSelector') return parameter;
      const selector = decodeURIComponent(value).replace(
        /([\w./-]+)(==?|!=)([^,]+)/g,
        (_, key: string, operator: string, one: string) =>
          `${key}${operator}${this.#random({ in: 'selector', parameter: name, key }, one)}`,
      );
      return `${name}=${encodeURIComponent(selector)}`;
    });
    // Not of KUBERNETES_PATH's roots, which are documents.
    const isDocument = object === null && KUBERNETES_PATH.test(path);
    return (isDocument ? path : `${kept}${changed}`) + (parameters === undefined ? '' : `?${parameters.join('&')}`);
  }

  #fields(fields: Fields): Fields {
    return fields.map((text, i) => {
      if (i % 2 === 0) return text;
      const name = fields[i - 1].toLowerCase();
      if (this.#filling.places.has('user-info') && AUTHORITY_FIELDS.has(name))
        return `${['user', 'password'].map((part) => this.#random({ in: 'user-info', name: part }, text)).join(':')}@${text}`;
      // Who a client is decides what its requests are taken for.
      if (PROTOCOL_FIELDS.has(name) || (!this.#guiding && name === 'user-agent')) return text;
      return this.#random({ in: 'header', name }, text);
    });
  }

  #body(body: Body, exchange: Exchange): Body {
    const { bytes, complete, limited } = body.read();
    const changed = this.#bytes(bytes, pathOf(exchange));
    if (changed === null) return body;
    const read = { bytes: changed, complete, ...(limited === undefined ? null : { limited }) };
    return {
      length: changed.length,
      contentType: body.contentType,
      contentEncoding: '',
      complete: body.complete,
      read: () => read,
    };
  }

  #item({ bytes, exchange, from }: ExchangeEvent & { readonly kind: 'item' }): Uint8Array {
    const target = pathOf(exchange);
    const call = /^\/(etcdserverpb\.\w+|runtime\.v1\.\w+)\/(\w+)$/.exec(target);
    if (call !== null) {
      const isEtcd = call[1].startsWith('etcd');
      const table = isEtcd ? etcdTable() : criTable();
      const method = table.method(call[1], call[2]);
      const type = from === 'client' ? method?.request : method?.response;
      if (type === undefined) return bytes;
      return this.#protobuf(table, type, bytes, { in: 'body', api: isEtcd ? 'etcd' : 'cri', type, target, path: [] });
    }
    const changed = this.#bytes(bytes, target);
    if (changed !== null) return changed;
    return this.#watchEvent(bytes, target) ?? bytes;
  }

  /** WatchEvent { type = 1, object = 2 RawExtension { raw = 1 } }, without a magic. */
  #watchEvent(bytes: Uint8Array, target: string): Uint8Array | null {
    const fields = fieldsOf(bytes);
    if (fields === null || fields.length !== 2) return null;
    const [type, object] = fields;
    const raw = object.number === 2 ? fieldsOf(object.content)?.[0] : undefined;
    const inside = raw?.number === 1 ? this.#bytes(raw.content, target) : null;
    if (inside === null) return null;
    const place: Place = { in: 'body', api: 'kubernetes', type: 'meta.k8s.io/v1/WatchEvent', target, path: ['type'] };
    const name = Buffer.from(type.content).toString();
    const changed = this.#guiding ? Buffer.from(this.#random(place, name)) : type.content;
    return Buffer.concat([lengthed(1, changed), lengthed(2, lengthed(1, inside))]);
  }

  /** An object in protobuf, or JSON; null: neither. */
  #bytes(bytes: Uint8Array, target: string): Uint8Array | null {
    if (bytes.length === 0) return null;
    const envelope = openEnvelope(bytes);
    if (envelope !== null) {
      const { apiVersion, kind, start, end, complete } = envelope;
      const table = kubernetesTable();
      const gvk = apiVersion.includes('/') ? `${apiVersion}/${kind}` : `/${apiVersion}/${kind}`;
      const type = table.section<Record<string, string>>('gvk')[gvk];
      if (type === undefined || !complete) return null;
      const place: BodyPlace = { in: 'body', api: 'kubernetes', type: `${apiVersion}/${kind}`, target, path: [] };
      const raw = this.#protobuf(table, type, bytes.subarray(start, end), place);
      const meta = [apiVersion, kind].map((text, i) =>
        this.#guiding ? this.#random({ ...place, path: [['apiVersion', 'kind'][i]] }, text) : text,
      );
      const typeMeta = Buffer.concat([lengthed(1, Buffer.from(meta[0])), lengthed(2, Buffer.from(meta[1]))]);
      return Buffer.concat([Buffer.from('k8s\0'), lengthed(1, typeMeta), lengthed(2, raw)]);
    }
    if (bytes[0] !== 0x7b && bytes[0] !== 0x5b) return null;
    const value = parsed(bytes);
    if (value === undefined) return null;
    const api = KUBERNETES_PATH.test(target) || isObject(value) ? 'kubernetes' : 'json';
    return Buffer.from(JSON.stringify(this.#json(value, { in: 'body', api, type: '/', target, path: [] })));
  }

  #json(value: unknown, place: BodyPlace): unknown {
    if (typeof value === 'string') return this.#random(place, value);
    if (typeof value === 'number' && this.#filling.places.has('number'))
      return Number(this.#random({ ...place, in: 'number' }, String(value)));
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => this.#json(one, { ...place, path: [...place.path, '*'] }));
    const here: BodyPlace = isObject(value)
      ? { ...place, api: 'kubernetes', type: `${value.apiVersion}/${value.kind}`, path: [] }
      : place;
    const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
      if (typeof member === 'string' && GUIDING_MEMBERS.has(name) && !this.#guiding) return [name, member];
      const isKept = STRUCTURE.has(name) || (GUIDING_MEMBERS.has(name) && !this.#guiding);
      const key = isKept ? name : this.#random({ ...here, in: 'key' }, name);
      return [key, this.#json(member, { ...here, path: [...here.path, name] })];
    });
    return Object.fromEntries(entries);
  }

  /** The same message with other strings: fields of other types stay byte for byte. */
  #protobuf(table: Table, typeName: string, bytes: Uint8Array, place: BodyPlace): Uint8Array {
    const type = table.message(typeName);
    const fields = fieldsOf(bytes);
    if (type === undefined || fields === null) return bytes;
    const names = table.section<Record<string, Record<string, string>>>('jsonNames')[typeName] ?? {};
    const parts = fields.map((one) => {
      const field = type.byNumber.get(one.number);
      if (field === undefined || one.wire !== LENGTH_DELIMITED) return one.whole;
      const name = names[field.name] ?? field.name;
      let path = name === '' ? place.path : [...place.path, name];
      const changed = (content: Uint8Array, at: readonly string[]): Uint8Array => {
        const inner: BodyPlace = { ...place, path: at };
        if (field.kind === 'message') return this.#protobuf(table, field.type, content, inner);
        const isGuide = GUIDING_MEMBERS.has(name) && !this.#guiding;
        if (field.type === 'string' && !isGuide)
          return Buffer.from(this.#random(inner, Buffer.from(content).toString()));
        // Objects inside of fields of bytes: what etcd keeps, what a Table's row has, what a webhook judges.
        if (field.type === 'bytes') return this.#contentBytes(content, inner);
        return content;
      };
      if (field.label !== 'map') {
        if (field.label === 'repeated') path = [...path, '*'];
        return lengthed(one.number, changed(one.content, path));
      }
      const entry = fieldsOf(one.content);
      if (entry === null) return one.whole;
      const key = Buffer.from(entry.find(({ number }) => number === 1)?.content ?? []).toString();
      return lengthed(
        one.number,
        Buffer.concat(
          entry.map((part) =>
            part.number === 2 && part.wire === LENGTH_DELIMITED
              ? lengthed(2, changed(part.content, [...path, key]))
              : part.number === 1 && this.#filling.places.has('key')
                ? lengthed(1, Buffer.from(this.#random({ ...place, in: 'key', path }, key)))
                : part.whole,
          ),
        ),
      );
    });
    return Buffer.concat(parts);
  }

  #contentBytes(content: Uint8Array, place: BodyPlace): Uint8Array {
    const object = this.#bytes(content, place.target);
    if (object !== null) return object;
    // etcd's keys say which object it is.
    if (place.api === 'etcd' && /key|range_end/.test(place.path.at(-1) ?? '')) return content;
    return content.length === 0 ? content : Buffer.from(this.#random(place, Buffer.from(content).toString('latin1')));
  }
}

interface WireField {
  readonly number: number;
  readonly wire: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly whole: Uint8Array;
}

/** The fields of a protobuf message; null where it is none. */
function fieldsOf(bytes: Uint8Array): WireField[] | null {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; at < bytes.length; shift *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const first = at;
    const tag = varint();
    const wire = tag % 8;
    let length = wire === 1 ? 8 : wire === 5 ? 4 : 0;
    if (wire === LENGTH_DELIMITED) length = varint();
    else if (wire === 0) varint();
    else if (length === 0) return null;
    if (!(at + length <= bytes.length)) return null;
    const content = bytes.subarray(at, at + length);
    at += length;
    fields.push({ number: Math.floor(tag / 8), wire, content, whole: bytes.subarray(first, at) });
  }
  return fields;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

function pathOf({ request }: Exchange): string {
  return request?.target?.split('?')[0] ?? '';
}

function isObject(value: unknown): value is { readonly apiVersion: string; readonly kind: string } {
  const { apiVersion, kind } = (value ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown };
  return typeof apiVersion === 'string' && typeof kind === 'string';
}

const LENGTH_DELIMITED = 2;
const KUBERNETES_PATH = /^\/apis?(?:\/|$)/;
const GUIDING_MEMBERS = new Set([
  ...['apiVersion', 'kind', 'name', 'namespace', 'uid', 'resourceVersion', 'nodeName'],
  ...['type', 'reason', 'phase', 'status'],
]);
/** What tells an object from anything else: without it no table is asked. */
const STRUCTURE = new Set([
  ...['apiVersion', 'kind', 'metadata', 'name', 'namespace', 'spec', 'status', 'items', 'object', 'type', 'labels'],
  ...['annotations', 'data', 'template', 'containers', 'env', 'request', 'response', 'managedFields', 'fieldsV1'],
]);
const AUTHORITY_FIELDS = new Set(['host', ':authority', 'x-forwarded-host']);
/** To the name of an object, and what is behind. */
const OBJECT_PATH =
  /^(\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/watch)?(?:\/namespaces\/[^/]+(?=\/)|(?!\/namespaces\/))\/[^/]+\/[^/]+)((?:\/[^/]+)*)\/?$/;
/** Ends with a name: a container of the kubelet (kubelet/server/server.go), a tag of a registry (distribution-spec), an object of docker. */
const KNOWN_PATH =
  /^\/(?:containerLogs|exec|attach|run)\/[^/]+\/[^/]+\/[^/]+$|^\/v2\/.+\/manifests\/[^/]+$|^\/v\d[\d.]*\/[a-z]+\/[^/]+$/;
const GUIDING_PARAMETERS = new Set(['watch', 'follow']);
/** How a message is read depends on these. */
const PROTOCOL_FIELDS = new Set([
  ...[':method', ':path', ':scheme', ':status', ':protocol', ':authority', 'host', 'te', 'trailer', 'connection'],
  ...['content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'upgrade', 'http2-settings'],
  ...['sec-websocket-version', 'sec-websocket-protocol', 'sec-websocket-extensions', 'x-stream-protocol-version'],
  ...['grpc-status', 'grpc-encoding', 'accept'],
]);
