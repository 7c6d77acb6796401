// What the messages of connections older than the capture mean, as far as bodies, answers and the habits of Kubernetes'
// programs tell it. Holds what was learnt of each such connection; the rules are in the files beside it. Conclusions go
// into a message's fields and their names into `inferred`; what was read is never overwritten.

import { fieldValue } from '../../core/fields.js';
import type { Origin } from '../../core/origin.js';
import type { Exchange, ExchangeEvent } from '../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import type { Connection } from '../../tcp/stream-event.js';
import type { Draft } from '../draft.js';
import { addressOf } from '../hosts.js';
import { isClusterScoped } from '../kinds.js';
import { responseLabel } from '../labels.js';
import type { Path } from '../network/legs.js';
import type { Speakers } from '../speakers.js';
import type { Talk } from '../talk.js';
import type { WatchEvent } from '../watch-event.js';
import { type Asked, askedByAnswer, askedByBody, askedByEvent } from './asked.js';
import { fillRequest, infer } from './concluded.js';
import { type PseudoSlots, RequestSlots, ResponseSlots } from './head-slots.js';
import { type Program, programByAnswer, programByRequest } from './programs.js';
import { type Carrying, carryingOf, type Shape, shapeOf } from './shapes.js';
import { statusByAnswer } from './status.js';
import { UnnamedClient } from './unnamed-client.js';

/** A connection of which the beginning, or a piece, was not seen. */
export interface LateConnection {
  readonly client: UnnamedClient;
  /** ns: when it was first seen so. */
  readonly since: bigint;
  /** The last object that was said not to be there, in a namespace that is not known. */
  absent: Question | null;
}

interface HeadSlots {
  readonly requests: RequestSlots;
  readonly responses: ResponseSlots;
}

/** A request whose meaning is to be concluded, until it is or is printed. */
export interface Question {
  readonly message: Draft;
  readonly head: RequestHead;
  readonly slots: PseudoSlots;
  readonly known: RequestSlots;
  readonly body: Carrying;
  readonly shape: Shape;
  readonly asked: Asked;
  /** Its answer, of which the label may have to change. */
  answer: Draft | null;
  /** Nothing more can be learnt. */
  settled: boolean;
}

export class Inference {
  readonly #speakers: Speakers;
  readonly #holdNs: bigint;
  /** By connection, or by the path of several that are one. */
  readonly #late = new WeakMap<Connection | Path, LateConnection>();
  /** Tables of heads are those of the connection that a head came on, though others may be one with it. */
  readonly #slotsOf = slotsByConnection();
  /** Printed messages are never changed. */
  readonly #printed = new WeakSet<Draft>();
  #lastId = 0;

  /** @param holdNs how long a message may wait for what concludes it; 0: it is printed with what is known. */
  constructor(speakers: Speakers, holdNs: bigint) {
    this.#speakers = speakers;
    this.#holdNs = holdNs;
  }

  /**
   * The state of an exchange's connection; null where it was seen from its beginning.
   * @param path of several that are one. @param isSeveral its client is one of several components, nothing says which.
   */
  of(
    { connection, request, stream }: Exchange,
    path: Path | null,
    at: Origin,
    isSeveral: boolean,
  ): LateConnection | null {
    const key = path ?? connection;
    const known = this.#lastId === 0 ? undefined : this.#late.get(key);
    if (known !== undefined) return known;
    const isLate =
      request === null
        ? stream !== null
        : request.partial.length > 0 || request.method === null || request.target === null;
    if (!isLate && !isSeveral) return null;
    this.#lastId -= 1;
    const late: LateConnection = {
      // Negative: no other speaker's.
      client: new UnnamedClient(this.#lastId, addressOf(key.client), at.frame),
      since: at.time,
      absent: null,
    };
    this.#late.set(key, late);
    return late;
  }

  /** A request is made a message: what its body and earlier requests tell of it. */
  asked(talk: Talk, late: LateConnection, message: Draft, event: ExchangeEvent & { kind: 'request' }): void {
    const head = event.exchange.request;
    if (head === null) return;
    const body = carryingOf(event.body);
    const known = this.#slotsOf(event.exchange.connection).requests;
    if (head.method === null || head.target === null) {
      const shape = shapeOf(body);
      const slots = known.pseudoSlots(head);
      const method = head.method ?? known.methodOf(slots) ?? null;
      const asked = askedByBody(method, shape, body);
      add(asked, known.askedBefore(head, slots, asked.method ?? method));
      talk.question = { message, head, slots, known, body, shape, asked, answer: null, settled: false };
      this.#fill(talk, talk.question);
    } else known.pseudoSlots(head);
    this.#isThere(late, message);
    this.#told(late, talk, programByRequest(message, body), event.last.frame);
  }

  /** An answer is made a message: its own status and Audit-Id, and what it tells of the request. */
  answered(talk: Talk, message: Draft, event: ExchangeEvent & { kind: 'response' }): void {
    const head = event.exchange.response;
    const { question, late } = talk;
    const answer = carryingOf(event.body);
    if (head !== null) this.#head(this.#slotsOf(event.exchange.connection).responses, message, head, talk, answer);
    const at = head === null ? event.at.time : saidAt(head, event.at.time);
    const status = message.status ?? null;
    if (question !== null) {
      question.answer = message;
      if (event.body !== null) {
        const method = question.asked.method ?? question.head.method;
        add(question.asked, askedByAnswer(method, question.shape, question.body, answer, status, at, managerOf(talk)));
      } else if (isWatchType(head)) add(question.asked, { verb: 'watch' });
      this.#fill(talk, question);
      question.settled = event.body !== null;
      if (late !== null && status === 404 && isNamespaceOpen(question)) {
        if (late.absent !== null) late.absent.settled = true;
        late.absent = question;
        question.settled = false;
      }
    }
    if (late?.client.open === true && talk.info !== null && didWrite(talk, answer))
      this.#told(late, talk, programByAnswer(answer, at), event.last.frame);
  }

  /** An event came of a stream whose request does not say what it watches. */
  streamed(talk: Talk, event: WatchEvent): void {
    const { question } = talk;
    if (question === null || question.settled || question.head.target !== null) return;
    const { object } = event;
    add(
      question.asked,
      object === null || event.type === 'ERROR' ? { verb: 'watch' } : askedByEvent(object.apiVersion, object.kind),
    );
    this.#fill(talk, question);
    question.settled = true;
    const { answer } = question;
    if (answer !== null && !this.#printed.has(answer)) answer.label = responseLabel(answer.status ?? null, true);
  }

  /** Nothing more will come of an exchange. */
  over({ question }: Talk): void {
    if (question !== null) question.settled = true;
  }

  /**
   * Lets a message wait, within the bound, for what may still be concluded.
   * @param settle what it waits for besides. @returns when it is complete; null: it is.
   */
  hold(message: Draft, talk: Talk, settle: ((final: boolean) => boolean) | null): ((final: boolean) => boolean) | null {
    if (this.#holdNs === 0n) {
      this.#print(message, talk);
      return settle;
    }
    const { question, late } = talk;
    const asks = question !== null && question.message === message;
    const whoMatters = late !== null && message.time < late.since + this.#holdNs;
    let settled = settle === null;
    return (final) => {
      settled ||= settle?.(final) ?? true;
      const isOpen = !settled || (asks && !question.settled) || (whoMatters && late.client.open);
      if (isOpen && !final) return false;
      this.#print(message, talk);
      return true;
    };
  }

  /** From here on a message is what it is. */
  #print(message: Draft, talk: Talk): void {
    this.#printed.add(message);
    const client = talk.client as Partial<UnnamedClient>;
    if (client.concluded !== true) return;
    infer(message, message.from === talk.client ? 'from' : 'to');
  }

  #fill(talk: Talk, { message, head, slots, known, asked }: Question): void {
    known.learn(head, slots, head.method === null ? asked : { ...asked, method: head.method });
    if (this.#printed.has(message)) return;
    const info = fillRequest(message, asked, head.method, head.target);
    if (info !== null) talk.info = info;
  }

  #head(responses: ResponseSlots, message: Draft, head: ResponseHead, talk: Talk, answer: Carrying): void {
    if (head.partial.length === 0) return;
    if (head.status === null) {
      const status = responses.status(head) ?? statusByAnswer(talk.info?.verb, talk.question?.body ?? null, answer);
      if (status !== undefined) {
        message.status = status;
        responses.learnStatus(head, status);
        infer(message, 'label');
        infer(message, 'status');
      }
    }
    if (message.auditId !== undefined) return;
    const auditId = responses.auditId(head);
    if (auditId === undefined) return;
    message.auditId = auditId;
    infer(message, 'auditId');
  }

  /** Who finds nothing and then makes it, makes it where it looked. */
  #isThere(late: LateConnection, { verb, resource, namespace, name, apiGroup, apiVersion }: Draft): void {
    const { absent } = late;
    if (absent === null || verb !== 'create') return;
    const { asked } = absent;
    if (resource !== asked.resource || name !== asked.name || apiGroup !== asked.apiGroup) return;
    late.absent = null;
    absent.settled = true;
    add(asked, { namespace, apiVersion });
    if (!this.#printed.has(absent.message)) fillRequest(absent.message, asked, absent.head.method, absent.head.target);
  }

  #told(late: LateConnection, { connection: { id } }: Talk, program: Program | null, frame: number): void {
    if (program === null || !late.client.open) return;
    const { component, node, why } = program;
    const evidence = `${why} (frame ${frame})`;
    const onAddress = this.#speakers.concluded(component, late.client.address, evidence);
    const speaker = this.#speakers.onConnection(onAddress, id);
    if (node !== undefined) this.#speakers.learnNode(speaker, node, evidence, id);
    late.client.learn(speaker);
  }
}

function slotsByConnection(): (connection: Connection) => HeadSlots {
  const all = new WeakMap<Connection, HeadSlots>();
  return (connection) => {
    let slots = all.get(connection);
    if (slots === undefined) {
      slots = { requests: new RequestSlots(), responses: new ResponseSlots() };
      all.set(connection, slots);
    }
    return slots;
  };
}

/** Adds what is not known yet; nothing of what contradicts it. */
function add(asked: Asked, more: Asked | undefined): void {
  if (more === undefined) return;
  if (asked.resource !== undefined && more.resource !== undefined && asked.resource !== more.resource) return;
  if (asked.verb !== undefined && more.verb !== undefined && asked.verb !== more.verb) return;
  for (const key of Object.keys(more) as (keyof Asked)[]) asked[key] ??= more[key];
}

/** A program writes under its own name, unless it is told another; people's programs are. */
function managerOf({ client }: Talk): string | undefined {
  const { component, tier } = client.process;
  return tier === 'people' || component.startsWith('client ') ? undefined : component;
}

/** The answer carries the object as the write left it, and the write changed it. */
function didWrite({ info, question }: Talk, { carried }: Carrying): boolean {
  if (carried === null || carried.status !== undefined || info === null) return false;
  if (info.verb === 'create') return carried.info.uid !== undefined;
  const before = question?.body.carried?.info.resourceVersion;
  return info.verb === 'update' && before !== undefined && before !== carried.info.resourceVersion;
}

function isNamespaceOpen({ asked, head }: Question): boolean {
  const { resource, name, namespace } = asked;
  if (head.target !== null || namespace !== undefined || name === undefined || resource === undefined) return false;
  return !isClusterScoped(resource);
}

function isWatchType(head: ResponseHead | null): boolean {
  return head !== null && (fieldValue(head.fields, 'content-type') ?? '').includes('stream=watch');
}

/** When a server says that it answered, by the clock that its objects' times are of; ns. */
function saidAt(head: ResponseHead, captured: bigint): bigint {
  const date = Date.parse(fieldValue(head.fields, 'date') ?? '');
  return Number.isNaN(date) ? captured : BigInt(date) * 1_000_000n;
}
