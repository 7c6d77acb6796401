// Concludes the method of a call whose path was sent before the capture: the only one that fits the shapes of its request and
// its answer. All calls with the same head are narrowed together.

import { BoundedMap } from '../../../core/collections/bounded.js';
import { entryOf } from '../../../core/collections/series-table.js';
import type { RequestHead } from '../../../http/http-event.js';
import type { MethodType, Table } from '../../../protobuf/table.js';
import { FieldReader, LENGTH_DELIMITED, VARINT } from '../../../protobuf/wire.js';
import { textAt } from './cri/cri-fields.js';
import { hasShape } from './shape.js';

export interface Method {
  readonly service: string;
  readonly name: string;
  /** undefined: the service is not in the family's table. */
  readonly type: MethodType | undefined;
}

/** Inferences for the calls of one family, by connection. */
export class MethodInferences {
  readonly #table: Table;
  readonly #methods: readonly Method[];
  readonly #connections = new BoundedMap<number, Map<string, MethodInference>>(
    MAX_CONNECTIONS,
    'methods of open connections',
  );

  constructor(table: Table) {
    this.#table = table;
    const services = table.section<Record<string, Record<string, unknown>>>('services');
    this.#methods = Object.entries(services).flatMap(([service, methods]) =>
      Object.keys(methods).map((name) => ({ service, name, type: table.method(service, name) })),
    );
  }

  /** @param head null: it was before the capture, with all that it would have in common with other calls. */
  of(connection: number, head: RequestHead | null): MethodInference {
    const same = head === null ? null : sameHead(head);
    if (same === null) return new MethodInference(this.#table, this.#methods);
    const heads = entryOf(this.#connections, connection, () => new BoundedMap(MAX_HEADS, 'heads of calls'));
    return entryOf(heads, same, () => new MethodInference(this.#table, this.#methods));
  }
}

/** Possible methods, narrowed with every message; calls with the same head share one inference. */
export class MethodInference {
  readonly #table: Table;
  #possible: readonly Method[];
  #hasAnswer = false;

  constructor(table: Table, methods: readonly Method[]) {
    this.#table = table;
    this.#possible = methods;
  }

  /** null: more than one is possible, or none. */
  get method(): Method | null {
    if (this.#possible.length === 1) return this.#possible[0];
    return this.#hasAnswer && this.#possible.every(isOfKeys) ? (this.#possible.find(isRange) ?? null) : null;
  }

  /** Nothing more can be concluded. */
  get settled(): boolean {
    return this.#possible.length <= 1;
  }

  request(bytes: Uint8Array): void {
    if (this.settled) return;
    this.#keep((method) => hasShape(this.#table, method.type?.request ?? '', bytes) && isPlausible(method, bytes));
  }

  /** @param request that it answers; null: not captured. */
  answer(bytes: Uint8Array, request: Uint8Array | null): void {
    if (this.settled) return;
    this.#hasAnswer = true;
    this.#keep(
      (method) =>
        hasShape(this.#table, method.type?.response ?? '', bytes) &&
        (request === null || belongs(method, request, bytes)),
    );
  }

  /** More than one message was sent. */
  streams(from: 'client' | 'server'): void {
    if (this.settled) return;
    this.#keep(({ type }) => (from === 'client' ? type?.clientStreaming : type?.serverStreaming) === true);
  }

  #keep(fits: (method: Method) => boolean): void {
    this.#possible = this.#possible.filter(fits);
  }
}

/** The shape alone does not distinguish a key from a user's name, or a value from the end of a range; their text does. */
function isPlausible({ service, name }: Method, bytes: Uint8Array): boolean {
  const reader = READER.open(bytes, 0, bytes.length);
  if (!reader.next() || reader.field !== 1 || reader.type !== LENGTH_DELIMITED) return true;
  // Field 1 holds a path: it is a key, not a user, a role or an address.
  if (bytes[reader.start] !== SLASH || !service.startsWith('etcdserverpb.')) return true;
  if (service !== 'etcdserverpb.KV') return false;
  if (name !== 'Put') return true;
  // The API server puts an object, never nothing and never another key.
  if (!reader.next()) return false;
  const second: number = reader.field;
  return second === 2 && bytes[reader.start] !== SLASH;
}

/** An answer repeats parts of its request: a lease's number, or the time that it was granted for; the id of a status. */
function belongs({ name }: Method, request: Uint8Array, answer: Uint8Array): boolean {
  if (STATUSES.has(name)) return textAt(request, [1]) === textAt(answer, [1, 1]);
  if (name === 'LeaseGrant') return numberIn(answer, 3) === numberIn(request, 1);
  if (name === 'LeaseKeepAlive' || name === 'LeaseTimeToLive') return numberIn(answer, 2) === numberIn(request, 1);
  return true;
}

function numberIn(bytes: Uint8Array, field: number): number | string {
  const reader = READER.open(bytes, 0, bytes.length);
  while (reader.next()) if (reader.field === field && reader.type === VARINT) return reader.int64();
  return 0;
}

/**
 * A key without a value, and an empty answer: a read that found nothing, or a deletion that removed something. The API
 * server reads so all the time; it deletes in transactions only.
 */
function isOfKeys({ service, name }: Method): boolean {
  return service === 'etcdserverpb.KV' && (name === 'Range' || name === 'Put' || name === 'DeleteRange');
}

function isRange({ name }: Method): boolean {
  return name === 'Range';
}

/**
 * Heads that leave the same table entries unknown have the same path: an entry never changes, and the path is one of them.
 * @returns null where the path is no such entry, but for example cut.
 */
function sameHead(head: RequestHead): string | null {
  if (head.target !== null) return null;
  let slots = '';
  for (const field of head.partial) {
    if (field.value !== null) continue;
    if (field.slot === undefined) return null;
    slots += `${field.slot} `;
  }
  return slots === '' ? null : slots;
}

/** Their answers begin with the id in the request (api.proto, ContainerStatus and PodSandboxStatus). */
const STATUSES = new Set(['ContainerStatus', 'PodSandboxStatus']);
const READER = new FieldReader();
const SLASH = 0x2f;
/** Limit: connections with calls whose methods are being inferred. */
const MAX_CONNECTIONS = 10_000;
/** Limit: different heads of calls on one connection: the methods that one client calls, with and without a deadline. */
const MAX_HEADS = 1000;
