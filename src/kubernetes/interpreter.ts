// What exchanges mean: each request, response and watch event becomes one message with its speakers, its object and its
// cause. The one serial machine over all connections; what it remembers of them is bounded in doors, speakers and
// causes. Takes exchange events in the order of time; knows nothing of files, pictures or terminals.

import { EMPTY_BYTES } from '../core/bytes.js';
import { fieldValue } from '../core/fields.js';
import { type Notice, notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { Body, Exchange, ExchangeEvent } from '../http/exchange-event.js';
import { Causes, type ObjectRef } from './causes.js';
import { doors } from './doors.js';
import { HoldQueue } from './hold-queue.js';
import { resourceOfKind } from './kinds.js';
import { eventLabel, requestLabel, responseLabel } from './labels.js';
import type { Message, MessageKind, Speaker } from './message.js';
import { carriedObject } from './objects/meta.js';
import { type CarriedObject, type ObjectField, objectField } from './objects/object-info.js';
import { type NamingRule, speakers as newSpeakers, type Speakers } from './speakers.js';
import { objectKey, openTalk, type Talk } from './talk.js';
import { watchEvent } from './watch-event.js';

export interface InterpreterOptions {
  /** The one redaction (src/redaction): no text leaves the interpreter without it. */
  readonly redaction: { target(target: string): string; text(value: string): string };
  readonly naming?: readonly NamingRule[];
  /** How long, in ns of capture time, an event may be held for the answer that tells its cause; 0 when live. */
  readonly holdNs?: bigint;
}

export interface Interpreter extends Stage<ExchangeEvent, Message | Notice> {
  readonly speakers: Speakers;
}

export function interpreter(options: InterpreterOptions): Interpreter {
  return new SerialInterpreter(options);
}

type Draft = { -readonly [K in keyof Message]: Message[K] };
type Part = Exclude<ExchangeEvent, { kind: 'over' }>;

class SerialInterpreter implements Interpreter {
  readonly speakers: Speakers;
  readonly #options: InterpreterOptions;
  readonly #doors = doors();
  readonly #causes = new Causes();
  readonly #talks = new Map<Exchange, Talk>();
  readonly #queue = new HoldQueue<Message | Notice>();
  readonly #holdNs: bigint;
  #seq = 0;
  #exchanges = 0;
  #toldForgetting = false;

  constructor(options: InterpreterOptions) {
    this.#options = options;
    this.#holdNs = options.holdNs ?? DEFAULT_HOLD_NS;
    this.speakers = newSpeakers(options.naming);
  }

  feed(event: ExchangeEvent): readonly (Message | Notice)[] {
    const talk = this.#talkOf(event);
    if (event.kind === 'request') this.#request(event, talk);
    else if (event.kind === 'response') this.#response(event, talk);
    else if (event.kind === 'item') this.#item(event, talk);
    else if (event.kind === 'tunnel') this.#tunnel(event, talk);
    else this.#over(event);
    return this.#queue.release(event.at.time);
  }

  end(): readonly (Message | Notice)[] {
    return this.#queue.releaseAll();
  }

  #talkOf(event: ExchangeEvent): Talk {
    let talk = this.#talks.get(event.exchange);
    if (talk === undefined) {
      this.#exchanges += 1;
      talk = openTalk(event, this.#exchanges, {
        doors: this.#doors,
        speakers: this.speakers,
        redactTarget: this.#options.redaction.target,
      });
      this.#talks.set(event.exchange, talk);
    }
    return talk;
  }

  #request(event: Part & { kind: 'request' }, talk: Talk): void {
    const message = this.#draft('request', event, talk, talk.client, talk.server);
    const { request } = event.exchange;
    const { info } = talk;
    const carried = this.#carried(event.body);
    talk.requestSeq = message.seq;
    talk.requestEnd = event.last.time;
    message.method = request?.method ?? undefined;
    message.target = talk.target;
    if (talk.userAgent !== undefined) message.userAgent = this.#options.redaction.text(talk.userAgent);
    if (carried !== null && !OPTION_KINDS.has(carried.info.kind)) message.object = objectField(carried.info);
    if (carried?.report !== undefined) message.report = carried.report;
    if (info !== null) {
      // A create names its object only in its body (k8s.io/apiserver endpoints/handlers/create.go).
      const created = info.verb === 'create' && info.name === undefined ? carried?.info.name : undefined;
      message.verb = info.verb;
      message.apiGroup = info.apiGroup;
      message.apiVersion = info.apiVersion;
      message.resource = info.resource;
      message.subresource = info.subresource;
      message.namespace = info.namespace;
      message.name = info.name ?? created;
      this.#about(talk, message, carried);
    }
    const { method } = message;
    message.label =
      method === undefined || talk.target === undefined
        ? '[REQ] (not captured)'
        : requestLabel(method, talk.target, info?.name === undefined ? message.name : undefined);
    this.#queue.push(message, 0n, null);
  }

  /** Joins a Kubernetes request to its object: what woke it, and what it will change. */
  #about(talk: Talk, message: Draft, carried: CarriedObject | null): void {
    const { info } = talk;
    if (info?.resource === undefined) return;
    const name = message.name ?? '';
    const report = message.report;
    const owners = carried?.info.owners?.map((owner) => owner.uid);
    const key = objectKey(info.resource, info.apiGroup ?? '', info.namespace, name);
    const isOwnBody = carried !== null && info.subresource === undefined && carried.info.name === name;
    const object: ObjectRef = { key, uid: isOwnBody ? carried.info.uid : undefined, owners };
    talk.object = object;
    // An Event is about the object that it reports on.
    const asked = report === undefined ? object : { key: '', uid: report.uid };
    if (name !== '' || owners !== undefined || report !== undefined) {
      message.causedBy = this.#causes.ofRequest(asked, talk.client.process.id, talk.client.id);
    }
    if (!WRITES.has(info.verb) || DOES_NOT_CHANGE.has(info.subresource ?? '') || report !== undefined) return;
    talk.write = {
      seq: message.seq,
      writer: talk.client.id,
      deletes: info.verb === 'delete' || info.verb === 'deletecollection',
      state: 'pending',
      claimed: false,
    };
    if (info.verb === 'deletecollection') this.#causes.swept(key, talk.write);
    else if (name !== '') this.#causes.wrote(object, talk.write);
  }

  #response(event: Part & { kind: 'response' }, talk: Talk): void {
    const message = this.#draft('response', event, talk, talk.server, talk.client);
    const { response } = event.exchange;
    const watch = talk.info?.verb === 'watch' || (event.exchange.request === null && event.body === null);
    const status = response?.status ?? null;
    if (status !== null) message.status = status;
    const auditId = response === null ? undefined : fieldValue(response.fields, 'audit-id');
    if (auditId !== undefined) message.auditId = this.#options.redaction.text(auditId);
    if (talk.requestSeq !== undefined) {
      message.latencyMs = Number(event.first.time - talk.requestEnd) / 1e6;
      message.causedBy = talk.requestSeq;
    }
    const carried = this.#carried(event.body);
    if (carried !== null) {
      message.object = objectField(carried.info);
      if (carried.status !== undefined) {
        message.reason = carried.status.reason;
        if (SAFE_REASONS.has(carried.status.reason)) message.statusMessage = carried.status.message;
      }
    }
    message.label = responseLabel(status, watch);
    if (talk.write !== undefined && talk.object !== undefined) this.#written(talk, status, carried);
    this.#queue.push(message, 0n, null);
  }

  #written(talk: Talk, status: number | null, carried: CarriedObject | null): void {
    const { object, info, write } = talk;
    if (object === undefined || write === undefined || info?.resource === undefined) return;
    const ok = status !== null && status < 300;
    const made = carried === null || carried.info.kind === 'Status' ? undefined : carried.info;
    const version = made?.resourceVersion;
    const ref: ObjectRef | undefined =
      made === undefined || version === undefined || made.uid === undefined
        ? undefined
        : { key: object.key, uid: made.uid, resourceVersion: version, owners: made.owners?.map((owner) => owner.uid) };
    // A create with generateName learns its name from the answer.
    if (object.key.endsWith(' ') && made?.name !== undefined && write.deletes === false) {
      const named = objectKey(info.resource, info.apiGroup ?? '', info.namespace, made.name);
      this.#causes.wrote({ ...object, key: named, uid: made.uid }, write);
      this.#causes.answered({ ...object, key: named }, write, ok, ref);
    } else this.#causes.answered(object, write, ok, ref);
  }

  #item(event: Part & { kind: 'item' }, talk: Talk): void {
    const contentType = contentTypeOf(event.exchange, event.bytes);
    const decoded = event.complete ? watchEvent(event.bytes, contentType) : null;
    if (event.from === 'client' || (decoded === null && talk.door.protocol !== 'kubernetes')) {
      this.#data(event, talk, event.bytes.length);
      return;
    }
    const message = this.#draft('event', event, talk, talk.server, talk.client);
    if (decoded === null) {
      message.label = '[RESP-CHUNK] (not decoded)';
      message.complete = false;
      const where = { origin: event.last, connection: message.connection };
      const why = event.complete ? 'bytes of a watch event that are none' : 'a watch event of which bytes are missing';
      this.#queue.push(message, 0n, null);
      this.#queue.push(notice('kubernetes.undecodable', `${why} (${event.bytes.length} bytes)`, where), 0n, null);
      return;
    }
    message.type = decoded.type;
    if (decoded.object !== null) message.object = objectField(decoded.object);
    if (decoded.report !== undefined) message.report = decoded.report;
    if (decoded.status !== undefined) {
      message.reason = decoded.status.reason;
      if (SAFE_REASONS.has(decoded.status.reason)) message.statusMessage = decoded.status.message;
    }
    if (talk.initial) {
      message.initial = true;
      if (decoded.initialEventsEnd) talk.initial = false;
    }
    message.label = eventLabel(decoded.type, decoded.object, decoded.status?.reason);
    this.#heard(message, talk);
  }

  /** Who heard what, and which write made it. */
  #heard(message: Draft, talk: Talk): void {
    const info = message.object;
    if (info?.name == null || message.type === 'BOOKMARK' || message.type === 'ERROR') {
      this.#queue.push(message, 0n, null);
      return;
    }
    const object: ObjectRef = {
      key: keyOfEvent(talk, info, info.name),
      uid: info.uid ?? undefined,
      resourceVersion: info.resourceVersion ?? undefined,
      owners: info.owners?.map((owner) => owner.uid),
    };
    const heard: { seq: number; writer: number | undefined } = { seq: message.seq, writer: undefined };
    const settle = (final: boolean): boolean => {
      if (message.initial === true) return true;
      const cause = this.#causes.ofEvent(object, message.type === 'DELETED');
      if (cause === 'waits' && !final) return false;
      const write = cause === 'waits' ? this.#causes.onlyPending(object) : cause?.write;
      if (write === undefined) return true;
      if (write.resourceVersion === undefined && cause !== 'waits') write.resourceVersion = object.resourceVersion;
      heard.writer = write.writer;
      message.causedBy = write.seq;
      return true;
    };
    const settled = settle(this.#holdNs === 0n);
    this.#causes.heard(object, talk.client.process.id, heard);
    this.#queue.push(message, message.time + this.#holdNs, settled ? null : settle);
    if (this.#causes.forgotten > 0 && !this.#toldForgetting) {
      this.#toldForgetting = true;
      this.#queue.push(
        notice('limit.interpreter', 'causes of the objects seen longest ago are not followed any more'),
        0n,
        null,
      );
    }
  }

  #tunnel(event: Part & { kind: 'tunnel' }, talk: Talk): void {
    this.#data(event, talk, event.bytes.length);
  }

  #data(event: Part & { from: 'client' | 'server' }, talk: Talk, bytes: number): void {
    const fromClient = event.from === 'client';
    const message = this.#draft(
      'data',
      event,
      talk,
      fromClient ? talk.client : talk.server,
      fromClient ? talk.server : talk.client,
    );
    message.bytes = bytes;
    message.label = `[DATA] ${bytes} bytes`;
    message.causedBy = talk.requestSeq;
    this.#queue.push(message, 0n, null);
  }

  #over(event: ExchangeEvent & { kind: 'over' }): void {
    const { exchange, at } = event;
    const where = { origin: at, connection: exchange.connection.name };
    if (!event.responseSeen) {
      this.#queue.push(notice('exchange.no-response', 'a request whose answer is not in the capture', where), 0n, null);
    } else if (!event.requestSeen) {
      this.#queue.push(notice('exchange.no-request', 'an answer whose request is not in the capture', where), 0n, null);
    }
    this.#talks.delete(exchange);
  }

  #carried(body: Body | null): CarriedObject | null {
    if (body === null || body.length === 0) return null;
    const { bytes } = body.read();
    return bytes === EMPTY_BYTES ? null : carriedObject(bytes, body.contentType);
  }

  #draft(kind: MessageKind, event: Part, talk: Talk, from: Speaker, to: Speaker): Draft {
    this.#seq += 1;
    return {
      seq: this.#seq,
      time: event.at.time,
      started: event.first.time,
      kind,
      protocol: talk.door.protocol,
      from,
      to,
      label: '',
      exchange: talk.number,
      connection: event.exchange.connection.name,
      stream: event.exchange.stream,
      capture: event.first.capture,
      frames: [event.first.frame, event.last.frame],
      complete: event.complete,
      // All fields from the start, so that every message has one shape: half the cost of filling them in one by one.
      inferred: undefined,
      causedBy: undefined,
      method: undefined,
      target: undefined,
      userAgent: undefined,
      verb: undefined,
      apiGroup: undefined,
      apiVersion: undefined,
      resource: undefined,
      subresource: undefined,
      namespace: undefined,
      name: undefined,
      status: undefined,
      auditId: undefined,
      latencyMs: undefined,
      reason: undefined,
      object: undefined,
      type: undefined,
      initial: undefined,
      report: undefined,
      statusMessage: undefined,
      channel: undefined,
      bytes: undefined,
    };
  }
}

/** A watch that was opened before the capture does not say what it watches: its objects do. */
function keyOfEvent({ info }: Talk, object: ObjectField, name: string): string {
  const namespace = object.namespace ?? undefined;
  if (info?.resource !== undefined) return objectKey(info.resource, info.apiGroup ?? '', namespace, name);
  const slash = object.apiVersion?.indexOf('/') ?? -1;
  return objectKey(resourceOfKind(object.kind), object.apiVersion?.slice(0, Math.max(0, slash)) ?? '', namespace, name);
}

/** A watch that was opened before the capture does not say how it is encoded: its events do. */
function contentTypeOf({ response }: Exchange, item: Uint8Array): string {
  const said = response === null ? undefined : fieldValue(response.fields, 'content-type');
  return said ?? (item[0] === OPEN_BRACE ? 'application/json' : 'application/vnd.kubernetes.protobuf;stream=watch');
}

const OPEN_BRACE = 0x7b;
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection', 'apply']);
/** Subresources whose writes leave the object as it is (pkg/registry/core). */
const DOES_NOT_CHANGE = new Set(['token', 'exec', 'attach', 'portforward', 'proxy', 'log']);
/** Bodies that are options of a request, not its object. */
const OPTION_KINDS = new Set(['DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions']);
/** Failures whose text the API server makes of kinds and names alone; validation errors repeat captured values. */
const SAFE_REASONS = new Set([
  'AlreadyExists',
  'Conflict',
  'Expired',
  'Forbidden',
  'Gone',
  'NotFound',
  'TooManyRequests',
  'Timeout',
  'ServerTimeout',
  'ServiceUnavailable',
  'Unauthorized',
]);
/** A write's answer and its events leave the API server within milliseconds; a second covers a busy one. */
const DEFAULT_HOLD_NS = 1_000_000_000n;
