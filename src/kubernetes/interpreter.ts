// What exchanges mean: each request, response and watch event becomes one message with its speakers, its object and its
// cause. The one serial machine over all connections; what it remembers of them is bounded in doors, speakers and
// causes. Takes exchange events in the order of time; knows nothing of files, pictures or terminals.

import { EMPTY_BYTES } from '../core/bytes.js';
import { fieldValue } from '../core/fields.js';
import { memo } from '../core/memo.js';
import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { Body, Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { StreamNumbers } from '../tcp/stream-event.js';
import { Aggregation } from './aggregation.js';
import { detailsOf } from './details.js';
import type { DetailsRedaction } from './details-types.js';
import { describeProgress } from './docker-progress.js';
import { doors } from './doors.js';
import { type Draft, draftMessage, type Part } from './draft.js';
import { HoldQueue } from './hold-queue.js';
import { Inference } from './inference/inference.js';
import { Joiner } from './joiner.js';
import { eventLabel, requestLabel, responseLabel } from './labels.js';
import type { Message, MessageKind, ReportInfo, Speaker, TranslatedCopy } from './message.js';
import { Addresses } from './network/addresses.js';
import type { Path } from './network/legs.js';
import { type Passed, Translations } from './network/translations.js';
import { carriedObject } from './objects/meta.js';
import { type CarriedObject, objectField } from './objects/object-info.js';
import { Pulls, sizeOf } from './pulls.js';
import { isCall, Rpc } from './rpc/rpc.js';
import { type NamingRule, speakers as newSpeakers, type Speakers } from './speakers.js';
import { describePiece } from './streams.js';
import { StreamsJoin } from './streams-join.js';
import { type Known, learnFromRequest, openTalk, type Talk } from './talk.js';
import { contentTypeOf, isOptions, isTellable, podsIn, retryAfter } from './telling.js';
import { watchEvent } from './watch-event.js';
import { Watches } from './watches.js';
import { Webhooks } from './webhooks/webhooks.js';

export interface InterpreterOptions {
  /** The one redaction (src/redaction): no text leaves the interpreter without it. */
  readonly redaction: DetailsRedaction & { target(target: string): string };
  /** Messages keep what they refer to: their heads and bodies. */
  readonly bodies?: boolean;
  readonly naming?: readonly NamingRule[];
  /** How long, in ns of capture time, an event may be held for the answer that tells its cause; 0 when live. */
  readonly holdNs?: bigint;
}

export interface Interpreter extends Stage<ExchangeEvent, Message | Notice> {
  readonly speakers: Speakers;
  /** Where a connection begins, before its first exchange: joins it to the same one under other addresses. */
  numbered(numbers: StreamNumbers): void;
  /** It is `now` (ns since the epoch) and nothing more came: what need not wait any longer. */
  settle(now: bigint): readonly (Message | Notice)[];
}

export function interpreter(options: InterpreterOptions): Interpreter {
  return new SerialInterpreter(options);
}

class SerialInterpreter implements Interpreter {
  readonly speakers: Speakers;
  readonly #options: InterpreterOptions;
  readonly #doors = doors((address) => this.#addresses.isWorkload(address));
  readonly #joiner = new Joiner();
  readonly #streams = new StreamsJoin();
  readonly #pulls: Pulls;
  readonly #webhooks: Webhooks;
  readonly #watches = new Watches();
  readonly #aggregation = new Aggregation();
  readonly #talks = new Map<Exchange, Talk>();
  readonly #known: Known;
  readonly #queue = new HoldQueue<Message | Notice>();
  readonly #holdNs: bigint;
  readonly #inference: Inference;
  readonly #rpc: Rpc;
  readonly #addresses: Addresses;
  readonly #translations: Translations;
  /** Copies of the event at hand. */
  #copies: readonly TranslatedCopy[] = NO_COPIES;
  #seq = 0;
  #exchanges = 0;
  #toldForgetting = false;

  constructor(options: InterpreterOptions) {
    this.#options = options;
    this.#holdNs = options.holdNs ?? DEFAULT_HOLD_NS;
    this.speakers = newSpeakers(options.naming);
    this.#pulls = new Pulls(this.speakers);
    this.#inference = new Inference(this.speakers, this.#holdNs);
    this.#addresses = new Addresses({ nextId: this.speakers.newId, isHost: this.speakers.isHost });
    this.#translations = new Translations({
      isService: (address) => this.#addresses.isService(address),
      live: this.#holdNs === 0n,
    });
    this.#webhooks = new Webhooks(this.#joiner, options.redaction.text);
    this.#known = {
      doors: this.#doors,
      speakers: this.speakers,
      inference: this.#inference,
      webhooks: this.#webhooks,
      aggregation: this.#aggregation,
      redactTarget: memo(options.redaction.target, MAX_TARGETS),
      redactText: memo(options.redaction.text, MAX_AGENTS),
      addresses: this.#addresses,
    };
    this.#rpc = new Rpc({
      speakers: this.speakers,
      joiner: this.#joiner,
      pulls: this.#pulls,
      queue: this.#queue,
      holdNs: this.#holdNs,
      redact: options.redaction.text,
      draft: (kind, event, talk, from, to) => this.#draft(kind, event, talk, from, to),
    });
  }

  numbered(numbers: StreamNumbers): void {
    this.#translations.numbered(numbers);
  }

  feed(event: ExchangeEvent): readonly (Message | Notice)[] {
    const passed = this.#translations.feed(event);
    if (passed === null) this.#event(event, event.exchange, null);
    else this.#passed(passed);
    return named(this.#queue.release(event.at.time));
  }

  settle(now: bigint): readonly (Message | Notice)[] {
    this.#passed(this.#translations.settle(now));
    return named(this.#queue.release(now));
  }

  end(): readonly (Message | Notice)[] {
    this.#passed(this.#translations.end());
    for (const one of this.#translations.notices()) this.#queue.push(one, 0n, null);
    return named(this.#queue.releaseAll());
  }

  #passed(passed: readonly Passed[]): void {
    for (const { event, of, path, copies } of passed) {
      this.#copies = copies;
      this.#event(event, of, path);
    }
    this.#copies = NO_COPIES;
  }

  #event(event: ExchangeEvent, of: Exchange, path: Path | null): void {
    const talk = this.#talkOf(event, of, path);
    if (isCall(talk, event.exchange)) this.#rpc.feed(event, talk);
    else if (event.kind === 'request') this.#request(event, talk);
    else if (event.kind === 'response') this.#response(event, talk);
    else if (event.kind === 'item') this.#item(event, talk);
    else if (event.kind === 'tunnel') this.#data(event, talk, event.bytes.length);
    else if (event.kind === 'channel') describePiece(this.#data(event, talk, event.size), event);
    if (event.kind === 'over') this.#over(event);
  }

  #talkOf(event: ExchangeEvent, of: Exchange, path: Path | null): Talk {
    let talk = this.#talks.get(of);
    if (talk === undefined) {
      this.#exchanges += 1;
      talk = openTalk(event, this.#exchanges, this.#known, path);
      this.#talks.set(of, talk);
    }
    return talk;
  }

  #request(event: Part & { kind: 'request' }, talk: Talk): void {
    const message = this.#draft('request', event, talk, talk.client, talk.server);
    const { request } = event.exchange;
    const { info } = talk;
    const carried = this.#carried(event);
    talk.requestSeq = message.seq;
    talk.requestEnd = event.last.time;
    message.method = request?.method ?? undefined;
    message.target = talk.target;
    message.userAgent = talk.userAgent;
    if (carried !== null && !isOptions(carried.info.kind)) message.object = objectField(carried.info);
    if (carried?.report !== undefined) message.report = this.#reported(carried.report);
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
    }
    const { method } = message;
    message.label =
      method === undefined || talk.target === undefined
        ? '[REQ] (not captured)'
        : requestLabel(method, talk.target, info?.name === undefined ? message.name : undefined);
    if (talk.late !== null) this.#inference.asked(talk, talk.late, message, event);
    if (talk.forwarded !== undefined) message.causedBy = talk.forwarded;
    else if (talk.info !== null) {
      this.#joiner.asked(talk, message, carried, podsIn(event.body, carried));
      this.#watches.asked(talk, message);
      this.#aggregation.asked(talk, message, request, event.exchange.connection);
    }
    this.#streams.asked(talk, message, request?.target ?? undefined);
    this.#behind(talk, message, request?.target ?? undefined);
    this.#webhooks.asked(talk, message, event.body);
    this.#push(message, talk);
  }

  /** What is asked behind the API server's door. */
  #behind(talk: Talk, message: Draft, target: string | undefined): void {
    const { protocol } = talk.door;
    if (target === undefined) return;
    if (protocol === 'registry') this.#pulls.asks(talk, message, target);
    else if (protocol === 'docker') this.#pulls.askedOfDocker(talk, message, target);
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
    // The answer to a delete may still have what is gone.
    const tells = talk.door.protocol === 'kubernetes' && !DELETES.has(talk.info?.verb ?? '');
    const carried = this.#carried(event, tells ? event.last.frame : null);
    if (carried !== null) {
      message.object = objectField(carried.info);
      if (carried.status !== undefined) {
        message.reason = carried.status.reason;
        if (isTellable(carried.status, talk))
          message.statusMessage = this.#options.redaction.text(carried.status.message);
      }
    }
    message.statusMessage ??= retryAfter(response);
    if (talk.late !== null) {
      this.#inference.answered(talk, talk.late, message, event);
      learnFromRequest(talk, this.speakers, event.last.frame);
    }
    message.label = responseLabel(message.status ?? null, watch || talk.info?.watch === true);
    if (talk.door.protocol === 'registry') message.bytes = sizeOf(event.exchange);
    this.#webhooks.answered(talk, message, event.body);
    this.#watches.answered(talk, message);
    this.#joiner.answered(talk, message.status ?? null, carried);
    this.#push(message, talk);
  }

  #item(event: Part & { kind: 'item' }, talk: Talk): void {
    const contentType = contentTypeOf(event.exchange, event.bytes);
    const decoded = event.complete ? watchEvent(event.bytes, contentType) : null;
    if (event.from === 'client' || (decoded === null && talk.door.protocol !== 'kubernetes')) {
      const message = this.#data(event, talk, event.bytes.length);
      if (talk.door.protocol === 'docker' && event.complete)
        describeProgress(message, event.bytes, this.#options.redaction.text);
      return;
    }
    const message = this.#draft('event', event, talk, talk.server, talk.client);
    if (decoded === null) {
      message.label = '[RESP-CHUNK] (not decoded)';
      message.complete = false;
      const where = { origin: event.last, connection: message.connection };
      const why = event.complete ? 'bytes of a watch event that are none' : 'a watch event of which bytes are missing';
      this.#push(message, talk);
      this.#queue.push(notice('kubernetes.undecodable', `${why} (${event.bytes.length} bytes)`, where), 0n, null);
      return;
    }
    message.type = decoded.type;
    if (decoded.object !== null) {
      message.object = objectField(decoded.object);
      const { objectBytes, objectContentType, type, object } = decoded;
      this.#addresses.learn(objectBytes, objectContentType, object, type === 'DELETED', event.last.frame);
      this.#webhooks.learn(object, objectBytes, objectContentType);
    }
    if (decoded.report !== undefined) message.report = this.#reported(decoded.report);
    if (decoded.status !== undefined) {
      message.reason = decoded.status.reason;
      if (isTellable(decoded.status, talk))
        message.statusMessage = this.#options.redaction.text(decoded.status.message);
    }
    if (talk.initial) {
      message.initial = true;
      if (decoded.initialEventsEnd) talk.initial = false;
    }
    message.label = eventLabel(decoded.type, decoded.object, decoded.status?.reason);
    if (talk.question !== null) this.#inference.streamed(talk, decoded);
    this.#rpc.clients.heard(message, talk);
    this.#watches.answered(talk, message);
    this.#hear(message, talk);
  }

  /** @param settle tries to complete the message; null: nothing more is to come. What was concluded of it is told when it goes. */
  #push(message: Draft, talk: Talk, settle: ((final: boolean) => boolean) | null = null): void {
    const held = talk.unnamed ? this.#inference.hold(message, talk, settle) : settle;
    this.#queue.push(message, held === null ? 0n : message.time + this.#holdNs, held);
  }

  /** An event waits, within bounds, for the answer that tells which write made it. */
  #hear(message: Draft, talk: Talk): void {
    const settle = this.#joiner.heard(message, talk, this.#holdNs === 0n);
    this.#push(message, talk, settle);
    if (this.#joiner.forgotten > 0 && !this.#toldForgetting) {
      this.#toldForgetting = true;
      const detail = 'causes of the objects seen longest ago are not followed any more';
      this.#queue.push(notice('limit.interpreter', detail), 0n, null);
    }
  }

  #data(event: Part & { from: 'client' | 'server' }, talk: Talk, bytes: number): Draft {
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
    this.#push(message, talk);
    return message;
  }

  #over(event: ExchangeEvent & { kind: 'over' }): void {
    const { exchange } = event;
    const talk = this.#talks.get(exchange);
    if (talk !== undefined) {
      this.#inference.over(talk);
      this.#streams.over(talk);
      this.#pulls.over(talk);
      this.#aggregation.over(talk);
    }
    if (!event.responseSeen) this.#half('exchange.no-response', 'a request whose answer is not in the capture', event);
    else if (!event.requestSeen)
      this.#half('exchange.no-request', 'an answer whose request is not in the capture', event);
    this.#talks.delete(exchange);
  }

  #half(code: NoticeCode, detail: string, { exchange, at }: ExchangeEvent & { kind: 'over' }): void {
    this.#queue.push(notice(code, detail, { origin: at, connection: exchange.connection.name }), 0n, null);
  }

  /** @param frame where the API server told it; null: somebody else did, or it is no more. */
  #carried(
    { body, exchange, last }: Part & { readonly body: Body | null },
    frame: number | null = null,
  ): CarriedObject | null {
    if (body === null || body.length === 0) return null;
    const { bytes, limited } = body.read();
    if (limited === true) {
      const detail = `${body.length} compressed bytes were inflated up to ${bytes.length}`;
      const where = { origin: last, connection: exchange.connection.name };
      this.#queue.push(notice('limit.decompressed', detail, where), 0n, null);
    }
    if (bytes === EMPTY_BYTES) return null;
    const carried = carriedObject(bytes, body.contentType);
    if (frame !== null && carried !== null) this.#addresses.learn(bytes, body.contentType, carried.info, false, frame);
    if (carried !== null) this.#webhooks.learn(carried.info, bytes, body.contentType);
    return carried;
  }

  /** Whoever writes an Event chooses its words. */
  #reported(report: ReportInfo): ReportInfo {
    return { ...report, message: this.#options.redaction.text(report.message) };
  }

  #draft(kind: MessageKind, event: Part, talk: Talk, from: Speaker, to: Speaker): Draft {
    this.#seq += 1;
    const draft = draftMessage(this.#seq, kind, event, talk, from, to);
    // The list grows where copies come later than they can be waited for.
    if (this.#copies !== NO_COPIES) draft.translated = this.#copies;
    if (this.#options.bodies === true) draft.details = detailsOf(event, talk, draft, this.#options.redaction);
    return draft;
  }
}

/** Names as they are known now, so that a line does not depend on when it is printed. */
function named(items: readonly (Message | Notice)[]): readonly (Message | Notice)[] {
  for (const item of items) {
    if (item.kind === 'notice') continue;
    const draft: Draft = item;
    draft.fromName = item.from.name;
    draft.toName = item.to.name;
    if (item.via !== undefined) draft.viaNames = item.via.map((one) => one.name);
  }
  return items;
}

const NO_COPIES: readonly TranslatedCopy[] = [];
const DELETES = new Set(['delete', 'deletecollection']);
/** Targets and user agents that come again within a minute of a busy API server, remembered without their secrets. */
const MAX_TARGETS = 4096;
const MAX_AGENTS = 1000;
/** A write's answer and its events leave the API server within milliseconds; a second covers a busy one. */
const DEFAULT_HOLD_NS = 1_000_000_000n;
