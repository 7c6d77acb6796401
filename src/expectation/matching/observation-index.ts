// Indexes the messages of the captures for matching a diagram against them: equal messages, requests and responses, writes, related
// objects, participants by name. A `place` is an index in `messages`.

import { addToSet } from '../../core/collections/multimap.js';
import { hopsOf, isUnknown } from '../../diagram/layout/arrows.js';
import { indexMessages, type MessageIndex } from '../../diagram/message-index.js';
import { WRITES } from '../../diagram/selection/follow.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { type ParsedLabel, parsedLabelOf } from '../syntax/label.js';
import { Creations } from './creations.js';
import { Relations, type RootObject } from './relations.js';

/** Messages with one label between the same participants: an expected arrow fits all of them or none. */
export interface MessageGroup {
  readonly label: ParsedLabel;
  readonly kind: Message['kind'];
  readonly from: Participant;
  readonly to: Participant;
  /** Ascending. */
  readonly places: readonly number[];
}

export class ObservationIndex {
  readonly messages: readonly Message[];
  readonly index: MessageIndex;
  readonly messageGroups: readonly MessageGroup[];
  readonly participants: readonly Participant[];
  readonly creations: Creations;
  readonly #relations: Relations;
  /** Places of responses, and of requests, by `#exchangeKey`. */
  readonly #responses = new Map<string, number>();
  readonly #requests = new Map<string, number>();
  readonly #writes: Uint8Array;
  #stories: (readonly number[] | null)[] | null = null;
  #unnamed: ReadonlyMap<number, ReadonlySet<number>> | null = null;
  /** Ids of participants that authenticate as a service account. */
  readonly #accounts = new Set<number>();
  /** Number of the exchange by place, in an array of integers for fast comparison. */
  readonly exchanges: Int32Array;

  /** @param captured messages in the order of time. */
  constructor(captured: readonly Message[]) {
    const messages = captured.flatMap(withHops);
    this.messages = messages;
    this.index = indexMessages(messages);
    this.#relations = new Relations(this.index);
    this.#writes = new Uint8Array(messages.length);
    this.exchanges = new Int32Array(messages.length);
    for (const [place, message] of messages.entries()) {
      this.exchanges[place] = message.exchange;
      if (message.kind === 'request') {
        this.#requests.set(this.#exchangeKey(place, message.from, message.to), place);
        if (isWrite(message)) this.#writes[place] = 1;
        if (message.user?.startsWith(SERVICE_ACCOUNT) === true && message.userFrom !== 'impersonation')
          this.#accounts.add(message.from.id);
      } else if (message.kind === 'response')
        this.#responses.set(this.#exchangeKey(place, message.to, message.from), place);
    }
    this.messageGroups = groupsOf(messages, this.index);
    this.creations = new Creations(messages, (place) => this.responseTo(place));
    this.participants = [...new Set(messages.flatMap(({ from, to }) => [from, to]))];
  }

  /** Place of the response to the request at a place; -1: not captured. */
  responseTo(place: number): number {
    const { from, to } = this.messages[place];
    return this.#responses.get(this.#exchangeKey(place, from, to)) ?? -1;
  }

  /** Place of the request for the response or watch event at a place; -1: not captured. */
  requestOf(place: number): number {
    const { from, to } = this.messages[place];
    return this.#requests.get(this.#exchangeKey(place, to, from)) ?? -1;
  }

  /** Key of a message's exchange, for a message that goes through a Service of its exchange on the way from `client` to `server`. */
  #exchangeKey(place: number, client: Participant, server: Participant): string {
    const { exchange, via } = this.messages[place];
    return via === undefined ? `${exchange}` : `${exchange} ${client.id} ${server.id}`;
  }

  isWrite(place: number): boolean {
    return this.#writes[place] === 1;
  }

  /** Id of the set of objects that the message is about; 0: none. */
  subjectAt(place: number): number {
    return this.#relations.subjectAt(place);
  }

  /** Ids of all sets with one of these objects, one of their owners, or an object that they own. */
  relatedTo(subject: number): readonly number[] {
    return this.#relations.relatedTo(subject);
  }

  /** Whether the participant authenticates as a service account, as programs in a cluster do. */
  usesServiceAccount({ id }: Participant): boolean {
    return this.#accounts.has(id);
  }

  /** Ids of the ownership trees that the message's objects belong to. */
  familiesAt(place: number): readonly number[] {
    return this.#relations.familiesOf(this.#relations.subjectAt(place));
  }

  /** Does something own an object that the message at a place is about? */
  isOwned(place: number): boolean {
    return this.#relations.isOwned(this.#relations.subjectAt(place));
  }

  /** The objects of an ownership tree that nothing owns. */
  rootsOf(family: number): readonly RootObject[] {
    return this.#relations.rootsOf(family);
  }

  /** Ids of the ownership trees of the message at a place and of all that it may follow from; null: too many to tell stories apart. */
  storyAt(place: number): readonly number[] | null {
    this.#stories ??= this.#computeStories();
    return this.#stories[place];
  }

  #computeStories(): (readonly number[] | null)[] {
    const bySeq = new Map<number, readonly number[] | null>();
    return this.messages.map(({ seq, causedBy, cause }, place) => {
      let story: readonly number[] | null = this.familiesAt(place);
      for (const one of causedBy === undefined ? [] : [causedBy, ...(cause?.others ?? [])]) {
        const before: readonly number[] | null | undefined = bySeq.get(one);
        if (story === null || before === undefined) continue;
        if (before === null) story = null;
        else if (story.every((tree) => before.includes(tree))) story = before;
        else story = [...new Set([...before, ...story])];
      }
      if (story !== null && story.length > STORY_LIMIT) story = null;
      bySeq.set(seq, story);
      return story;
    });
  }

  isSameObject(subject: number, other: number): boolean {
    return this.#relations.isSame(subject, other);
  }

  /**
   * Ids of the participants whose name, component or process has a name that fits. A shared informer delivers events to each controller
   * of its process, so the process of a controller counts as a receiver, and so does a client without a name whose event it acted on.
   */
  participantsNamed(fits: (name: string) => boolean): {
    readonly sending: ReadonlySet<number>;
    readonly receiving: ReadonlySet<number>;
  } {
    const named = this.participants.filter(
      (one) => fits(one.name) || fits(one.component) || fits(one.process.component),
    );
    const sending = new Set(named.map(({ id }) => id));
    const unnamed = this.#unnamedReceivers();
    const others = named.flatMap((one) => [one.process.id, ...(unnamed.get(one.id) ?? [])]);
    return { sending, receiving: new Set([...sending, ...others]) };
  }

  /** Participant → clients that nothing identifies but what their events led it to do, as diagrams draw them. */
  #unnamedReceivers(): ReadonlyMap<number, ReadonlySet<number>> {
    if (this.#unnamed !== null) return this.#unnamed;
    const events = new Map<number, Message>();
    const found = new Map<number, Set<number>>();
    for (const message of this.messages) {
      if (message.kind === 'event' && isUnknown(message.to)) events.set(message.seq, message);
      const event = message.kind === 'request' ? events.get(message.causedBy ?? 0) : undefined;
      if (event === undefined) continue;
      addToSet(found, message.from.id, event.to.id);
    }
    this.#unnamed = found;
    return found;
  }
}

/** The message, and a copy for each hop that a diagram draws if it went through a Service. */
function withHops(message: Message): readonly Message[] {
  const hops = hopsOf(message);
  return hops.length === 1 ? [message] : [message, ...hops.map(({ from, to }) => ({ ...message, from, to }))];
}

/** Whether the message changes an object: by its verb, or by its RPC method for etcd and the container runtime. */
function isWrite({ protocol, verb, rpcMethod }: Message): boolean {
  if (protocol === 'etcd' || protocol === 'cri') return rpcMethod != null && WRITING_CALLS.has(rpcMethod);
  return verb !== undefined && WRITES.has(verb);
}

function groupsOf(messages: readonly Message[], index: MessageIndex): MessageGroup[] {
  const groups = new Map<string, MessageGroup & { readonly places: number[] }>();
  for (const [place, message] of messages.entries()) {
    const { from, to, kind, label } = message;
    const request = kind === 'request' ? message : kind === 'end' ? index.exchangeOf(message).request : undefined;
    const asked = request === undefined ? '' : `${request.label}\n${request.method} ${request.target}`;
    const key = `${from.id} ${from.name}\n${to.id} ${to.name}\n${kind}\n${label}\n${asked}`;
    const known = groups.get(key);
    if (known === undefined)
      groups.set(key, { label: parsedLabelOf(message, request), kind, from, to, places: [place] });
    else known.places.push(place);
  }
  return [...groups.values()];
}

/** Limit: ownership trees from which one message may follow; past it, it counts as of every story. */
const STORY_LIMIT = 64;

/** k8s.io/apiserver, pkg/authentication/serviceaccount: MakeUsername */
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/** RPC methods of etcd and the container runtime that change state: the API server sends a Txn only to write (etcd3/store.go). */
const WRITING_CALLS: ReadonlySet<string> = new Set(
  `Put Txn DeleteRange RunPodSandbox StopPodSandbox RemovePodSandbox CreateContainer StartContainer
  StopContainer RemoveContainer UpdateContainerResources`.split(/\s+/),
);
