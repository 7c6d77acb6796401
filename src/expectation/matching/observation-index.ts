// What an observation says, as expectations ask for it: who could be meant by a name, what a message is about, which
// objects belong together, what is a write. Made once for an observation; knows identities, not what is expected.

import { hopsOf } from '../../diagram/layout/hops.js';
import { indexMessages, type MessageIndex } from '../../diagram/message-index.js';
import { WRITES } from '../../diagram/selection/follow.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { type ParsedLabel, parsedLabelOf } from '../syntax/label.js';
import { Creations } from './creations.js';
import { Relations } from './relations.js';

/** Messages that say the same from the same to the same: an arrow fits all of them or none. */
export interface Saying {
  readonly said: ParsedLabel;
  readonly kind: Message['kind'];
  readonly from: Participant;
  readonly to: Participant;
  /** Places in `messages`, ascending. */
  readonly places: readonly number[];
}

export class ObservationIndex {
  readonly messages: readonly Message[];
  readonly index: MessageIndex;
  readonly sayings: readonly Saying[];
  readonly participants: readonly Participant[];
  readonly creations: Creations;
  readonly #relations: Relations;
  /** Place of each exchange's response and request. */
  readonly #responses = new Map<string, number>();
  readonly #requests = new Map<string, number>();
  readonly #writes: Uint8Array;
  /** Ids of who asks as a service account. */
  readonly #accounts = new Set<number>();
  /** `seq` of what made others do something, its own answer apart. */
  readonly #causes = new Set<number>();
  /** Exchange of each place, small numbers for comparing. */
  readonly exchanges: Int32Array;

  /** @param seen messages in the order of their time. */
  constructor(seen: readonly Message[]) {
    const messages = seen.flatMap(withHops);
    this.messages = messages;
    this.index = indexMessages(messages);
    this.#relations = new Relations(this.index);
    this.#writes = new Uint8Array(messages.length);
    this.exchanges = new Int32Array(messages.length);
    for (const [place, message] of messages.entries()) {
      this.exchanges[place] = message.exchange;
      if (message.causedBy !== undefined && message.kind !== 'response') this.#causes.add(message.causedBy);
      if (message.kind === 'request') {
        this.#requests.set(this.#exchangeKey(place, message.from, message.to), place);
        if (isWrite(message)) this.#writes[place] = 1;
        if (message.user?.startsWith(SERVICE_ACCOUNT) === true && message.userFrom !== 'impersonation')
          this.#accounts.add(message.from.id);
      } else if (message.kind === 'response')
        this.#responses.set(this.#exchangeKey(place, message.to, message.from), place);
    }
    this.sayings = sayingsOf(messages);
    this.creations = new Creations(this);
    this.participants = [...new Set(messages.flatMap(({ from, to }) => [from, to]))];
  }

  /** The answer to the request at a place; -1: none in the observation. */
  responseTo(place: number): number {
    const { from, to } = this.messages[place];
    return this.#responses.get(this.#exchangeKey(place, from, to)) ?? -1;
  }

  /** The request of the exchange of a place; -1: none in the observation. */
  requestOf(place: number): number {
    const { from, to } = this.messages[place];
    return this.#requests.get(this.#exchangeKey(place, to, from)) ?? -1;
  }

  /** Where a message goes by way of a Service, each hop has its own request and answer. */
  #exchangeKey(place: number, asking: Participant, asked: Participant): string {
    const { exchange, via } = this.messages[place];
    return via === undefined ? `${exchange}` : `${exchange} ${asking.id} ${asked.id}`;
  }

  isWrite(place: number): boolean {
    return this.#writes[place] === 1;
  }

  /** Did something else come of it than its answer? */
  hasEffects(place: number): boolean {
    return this.#causes.has(this.messages[place].seq);
  }

  /** Number of the objects that the message is about, the same for the same objects; 0: none. */
  aboutAt(place: number): number {
    return this.#relations.aboutAt(place);
  }

  /** Numbers of all that are about the same objects, or about their owners or what they own. */
  relatedTo(about: number): readonly number[] {
    return this.#relations.relatedTo(about);
  }

  /** Does it ask as a service account, as programs that run in a cluster do? */
  asksAsServiceAccount({ id }: Participant): boolean {
    return this.#accounts.has(id);
  }

  /** Numbers of the families that the message's objects belong to: owners, what they own, and so on. */
  familiesAt(place: number): readonly number[] {
    return this.#relations.familiesOf(this.#relations.aboutAt(place));
  }

  isSameObject(about: number, other: number): boolean {
    return this.#relations.isSame(about, other);
  }

  /**
   * Who is meant by a name: a participant, any of its component, a process that this is a controller of. An event of a
   * shared informer goes to each controller of its process, so a controller's name means that process too where it
   * receives. By their ids: who receives on connections of which nobody named the client yet is the same by that alone.
   */
  meantBy(fits: (name: string) => boolean): {
    readonly sending: ReadonlySet<number>;
    readonly told: ReadonlySet<number>;
  } {
    const meant = this.participants.filter(
      (one) => fits(one.name) || fits(one.component) || fits(one.process.component),
    );
    const sending = new Set(meant.map(({ id }) => id));
    return { sending, told: new Set([...sending, ...meant.map((one) => one.process.id)]) };
  }
}

/** As it was sent, and, where it went by way of a Service, from stop to stop as a picture draws it. */
function withHops(message: Message): readonly Message[] {
  const hops = hopsOf(message);
  return hops.length === 1 ? [message] : [message, ...hops.map(({ from, to }) => ({ ...message, from, to }))];
}

/** Is it one that changes an object: by its verb; behind the API server, by its call? */
function isWrite({ protocol, verb, rpcMethod }: Message): boolean {
  if (protocol === 'etcd' || protocol === 'cri') return rpcMethod != null && WRITING_CALLS.has(rpcMethod);
  return verb !== undefined && WRITES.has(verb);
}

function sayingsOf(messages: readonly Message[]): Saying[] {
  const sayings = new Map<string, Saying & { readonly places: number[] }>();
  for (const [place, message] of messages.entries()) {
    const { from, to, kind, label, target } = message;
    const key = `${from.id} ${from.name}\n${to.id} ${to.name}\n${kind}\n${label}\n${kind === 'request' ? `${message.method} ${target}` : ''}`;
    const known = sayings.get(key);
    if (known === undefined) sayings.set(key, { said: parsedLabelOf(message), kind, from, to, places: [place] });
    else known.places.push(place);
  }
  return [...sayings.values()];
}

/** What Kubernetes calls them (k8s.io/apiserver, pkg/authentication/serviceaccount: MakeUsername). */
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/** etcd's and the container runtime's calls that change what they keep. */
const WRITING_CALLS: ReadonlySet<string> = new Set([
  'Put',
  'Txn',
  'DeleteRange',
  'RunPodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'UpdateContainerResources',
]);
