// Finds who deleted each object: who asked for it first, because of whose write, and who finished it. All outputs take it from here.

import { RecentMap } from '../core/collections/bounded.js';
import { dictionary } from '../core/collections/dictionary.js';
import { resourceOfKind, splitApiVersion } from '../kubernetes/api/kinds.js';
import { namespaceOf } from '../kubernetes/api/object-ref.js';
import { bare } from '../kubernetes/emitted/exchange-requests.js';
import type { Message } from '../kubernetes/messages/message.js';
import { identityOf, tellsKind } from '../kubernetes/objects/object-info.js';

/** How an object was deleted, or is being deleted. */
export interface Deletion {
  /** The first request that asked for it: a delete, an eviction, one to delete a collection. null: it was not captured. */
  readonly askedBy: DeletionWrite | null;
  /** What began the chain of causes that led to that request; null: nothing else is known to have. */
  readonly because: FirstCause | null;
  /** A later request that took what the deletion waited for: a finalizer, a grace period. null: it waited for none, or it is not known. */
  readonly finishedBy: DeletionWrite | null;
}

export interface DeletionWrite {
  readonly request: Message;
  /** Of a request to delete, where it was captured. */
  response?: Message;
}

export interface FirstCause {
  readonly request: Message;
  /** The kind of its object; null: the capture shows none. */
  readonly kind: string | null;
  /** The capture proves each step of the chain. */
  readonly isCertain: boolean;
}

/** One object from its creation to its deletion: what has its name later is another one. */
export interface ObjectLife {
  readonly apiGroup: string;
  readonly resource: string;
  /** null: cluster-scoped. */
  readonly namespace: string | null;
  readonly name: string;
  /** null: no body shows it. */
  readonly uid: string | null;
  readonly deletion: Deletion | null;
}

/** Whose life it is. */
export type LifeName = Pick<ObjectLife, 'apiGroup' | 'resource' | 'namespace' | 'name'>;

export interface NamedResource {
  readonly apiGroup?: string;
  readonly resource?: string;
}

/** A request to delete the object. */
interface Ask {
  readonly write: DeletionWrite;
  readonly origin: FirstWrite | undefined;
  /** The object was seen to be going when it was sent. */
  readonly isLate: boolean;
  state: 'pending' | 'done' | 'failed';
}

/** The first write of a chain of causes. */
interface FirstWrite {
  readonly request: Message;
  readonly isCertain: boolean;
}

class Life implements ObjectLife {
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  uid: string | null;
  /** In the order of their sending. */
  asks: Ask[] = [];
  isGoing = false;
  isGone = false;
  finished: DeletionWrite | null = null;
  readonly #kinds: ReadonlyMap<string, string>;

  constructor(
    { apiGroup, resource, namespace, name }: LifeName,
    uid: string | null,
    kinds: ReadonlyMap<string, string>,
  ) {
    this.apiGroup = apiGroup;
    this.resource = resource;
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
    this.#kinds = kinds;
  }

  get deletion(): Deletion | null {
    const first = this.asks.find(({ state }) => state === 'done');
    if (first === undefined && !this.isGoing && !this.isGone) return null;
    // Who asked before it was sent was not captured.
    const asked = first === undefined || first.isLate ? undefined : first;
    const { request, isCertain } = asked?.origin ?? {};
    const isOther = request !== undefined && request.seq !== asked?.write.request.seq;
    return {
      askedBy: asked?.write ?? null,
      because: isOther
        ? { request, kind: this.#kinds.get(placeOf(request)) ?? null, isCertain: isCertain === true }
        : null,
      finishedBy: this.finished === asked?.write ? null : this.finished,
    };
  }

  ask(write: DeletionWrite, origin: FirstWrite | undefined): Ask {
    const known = this.asks.find((one) => one.write === write);
    if (known !== undefined) return known;
    const ask: Ask = { write, origin, isLate: this.isGoing, state: 'pending' };
    this.asks.push(ask);
    if (this.asks.length > MAX_ASKS) this.asks.splice(1, 1);
    return ask;
  }
}

/** Follows all messages of a capture, in the order of time. */
export class Deletions {
  /** By name: the lives that had it, the newest last. */
  readonly #lives = new RecentMap<string, Life[]>(MAX_NAMES, 'objects by name');
  /** Which object had the name that a request names, when it was sent. */
  readonly #named = new WeakMap<Message, Life>();
  /** By `seq`: writes that may be the causes of events. */
  readonly #writes = new RecentMap<number, DeletionWrite>(MAX_OPEN, 'writes that delete');
  readonly #byUid = new RecentMap<string, Life>(MAX_NAMES, 'objects by uid');
  /** By `seq`: the write that began what led to a message. */
  readonly #origins = new RecentMap<number, FirstWrite>(MAX_ORIGINS, 'writes that began a deletion');
  readonly #kinds = new RecentMap<string, string>(MAX_KINDS, 'kinds of resources');
  /** By plural: API groups of objects. */
  readonly #groups = new RecentMap<string, readonly string[]>(MAX_KINDS, 'groups of resources');

  /** @returns the object that the message is about; null: none that is known. */
  feed(message: Message): ObjectLife | null {
    if (message.protocol !== 'kubernetes') return null;
    this.#follow(message);
    if (message.kind === 'request') return this.#request(message);
    if (message.kind === 'response') return this.#response(message);
    return message.kind === 'event' ? this.#event(message) : null;
  }

  /** The objects that had a name, in order. @param apiGroup undefined: of any. */
  livesOf({ resource, namespace, name }: Omit<LifeName, 'apiGroup'>, apiGroup?: string): readonly ObjectLife[] {
    const groups = apiGroup === undefined ? (this.#groups.get(resource) ?? []) : [apiGroup];
    return groups.flatMap((group) => this.#lives.get(keyOf({ apiGroup: group, resource, namespace, name })) ?? []);
  }

  withUid(uid: string): ObjectLife | undefined {
    return this.#byUid.get(uid);
  }

  #follow(message: Message): void {
    const { seq, kind, verb = '', resource = '', causedBy, cause } = message;
    const before = causedBy === undefined ? undefined : this.#origins.get(causedBy);
    const isWrite = kind === 'request' && WRITES.has(verb) && (!BY_THE_CLOCK.has(resource) || isDeletion(message));
    const own = isWrite ? bare(message) : undefined;
    if (own !== undefined) this.#writes.set(seq, { request: own });
    if (before !== undefined) {
      const isCertain = before.isCertain && (cause?.certain === true || cause?.how === 'response');
      this.#origins.set(seq, isCertain === before.isCertain ? before : { request: before.request, isCertain });
    } else if (own !== undefined) this.#origins.set(seq, { request: own, isCertain: true });
  }

  #request(request: Message): ObjectLife | null {
    const { seq, verb, namespace, name } = request;
    if (isForwarded(request)) return null;
    const isAsk = isDeletion(request) && request.dryRun !== true;
    const isNamed = name !== undefined && verb !== 'list' && verb !== 'watch';
    const life = isNamed ? this.#newest(request, namespace, name, isAsk) : undefined;
    if (life !== undefined) this.#named.set(request, life);
    const write = this.#writes.get(seq);
    if (isAsk && write !== undefined) life?.ask(write, this.#origins.get(seq));
    return life ?? null;
  }

  #response(response: Message): ObjectLife | null {
    const { request, object, status = 0 } = response;
    if (request === undefined || isForwarded(request) || request.verb === 'watch') return null;
    const life = this.#named.get(request);
    const write = this.#writes.get(request.seq);
    if (write !== undefined && isDeletion(request)) write.response = bare(response);
    const ask = life?.asks.find((one) => one.write === write);
    const isDone = status >= 200 && status < FAILURE;
    if (ask !== undefined) ask.state = isDone ? 'done' : 'failed';
    const name = request.name ?? (request.verb === 'create' ? object?.name : undefined);
    if (!isDone || request.dryRun === true || name == null) return life ?? null;
    if (object?.uid == null) return this.#withoutUid(request, status, name, life);
    if (object.kind !== 'Status' && request.subresource === undefined) this.#kinds.set(placeOf(request), object.kind);
    const own = this.#lifeOf(request, request.namespace ?? object.namespace, name, object.uid);
    if (ask === undefined || own === undefined || own === life) return own ?? null;
    // The name was another object's before.
    if (life !== undefined) life.asks = life.asks.filter((one) => one !== ask);
    if (!own.asks.some((one) => one.write === write)) own.asks.push(ask);
    return own;
  }

  /** What is created under the name of what was deleted is another object. */
  #withoutUid(request: Message, status: number, name: string, life: Life | undefined): ObjectLife | null {
    const isAgain = status === CREATED && request.subresource === undefined && life?.deletion != null;
    return isAgain ? this.#add(nameOf(request, request.namespace, name), null) : (life ?? null);
  }

  #event({ object, type, request, causedBy }: Message): ObjectLife | null {
    const named = object && identityOf(object);
    if (object === undefined || named?.name == null || (request !== undefined && isForwarded(request))) return null;
    const about = request?.resource === undefined ? aboutKind(object) : request;
    if (about === null) return null;
    if (tellsKind(object.kind)) this.#kinds.set(placeOf(about), object.kind);
    const life = this.#lifeOf(about, named.namespace, named.name, object.uid ?? null);
    if (life === undefined) return null;
    const made = causedBy === undefined ? undefined : this.#writes.get(causedBy);
    const asked = made !== undefined && isDeletion(made.request) ? made : undefined;
    const isMarked = object.deletionTimestamp !== undefined;
    // A watch with a selector has DELETED for what only left the selection.
    const { target } = request ?? {};
    const isGone = type === 'DELETED' && (asked !== undefined || (target !== undefined && !SELECTOR.test(target)));
    if (!isMarked && !isGone) return life;
    if (asked !== undefined) life.ask(asked, this.#origins.get(asked.request.seq)).state = 'done';
    life.isGoing ||= isMarked;
    if (isGone) {
      life.isGone = true;
      life.finished ??= made ?? null;
    }
    return life;
  }

  #newest(about: NamedResource, namespace: PerhapsName, name: string, isNeeded: boolean): Life | undefined {
    const place = nameOf(about, namespace, name);
    const lives = this.#lives.get(keyOf(place)) ?? [];
    if (lives.length > 0 || !isNeeded) return lives.at(-1);
    return this.#add(place, null);
  }

  #lifeOf(about: NamedResource, namespace: PerhapsName, name: string, uid: string | null): Life | undefined {
    const place = nameOf(about, namespace, name);
    const lives = this.#lives.get(keyOf(place)) ?? [];
    const newest = lives.at(-1);
    const known = uid === null ? newest : lives.find((life) => life.uid === uid);
    if (known !== undefined) return known;
    if (newest?.uid !== null) return this.#add(place, uid);
    newest.uid = uid;
    if (uid !== null) this.#byUid.set(uid, newest);
    return newest;
  }

  #add(place: LifeName, uid: string | null): Life {
    const key = keyOf(place);
    const groups = this.#groups.get(place.resource) ?? [];
    if (!groups.includes(place.apiGroup)) this.#groups.set(place.resource, [...groups, place.apiGroup]);
    const life = new Life(place, uid, this.#kinds);
    if (uid !== null) this.#byUid.set(uid, life);
    this.#lives.set(key, [...(this.#lives.get(key) ?? []), life].slice(-MAX_LIVES));
    return life;
  }
}

/** `deleted by kubectl, message 1042; finished by kubelet (node-1), message 1073`. */
export function deletionWords({ askedBy, because, finishedBy }: Deletion): string {
  const why = because === null ? '' : `, ${becauseWords(because)}`;
  const asked =
    askedBy === null ? 'deleted; no captured request asked for it' : `deleted by ${whoAsked(askedBy.request)}${why}`;
  return finishedBy === null
    ? asked
    : `${asked}; finished by ${senderText(finishedBy.request)}, message ${finishedBy.request.seq}`;
}

/** As data: participants and numbers of messages. */
export function deletionFields({ askedBy, because, finishedBy }: Deletion) {
  const fields = ({ request: { from, user, seq } }: { readonly request: Message }) => ({
    by: from.name,
    user,
    message: seq,
  });
  return {
    askedBy: askedBy === null ? null : fields(askedBy),
    because: because === null ? undefined : { ...fields(because), certain: because.isCertain },
    finishedBy: finishedBy === null ? undefined : fields(finishedBy),
  };
}

function whoAsked(request: Message): string {
  const { seq, verb, subresource } = request;
  const how = subresource === 'eviction' ? ' (an eviction)' : verb === 'deletecollection' ? ' (of a collection)' : '';
  return `${senderText(request)}, message ${seq}${how}`;
}

interface Sender {
  readonly from: { readonly name: string };
  readonly user?: string;
}

/** `kubectl as jane`: who sent a request, with the user if the capture tells it and no word of the sender's name does. */
export function senderText({ from, user }: Sender): string {
  const isSaid = user === undefined || from.name.split(/[ ()]+/).includes(user.slice(user.lastIndexOf(':') + 1));
  return isSaid ? from.name : `${from.name} as ${user}`;
}

/** `because kubectl deleted Job once, message 3022`. */
function becauseWords({ request, kind, isCertain }: FirstCause): string {
  const { verb = '', resource, subresource, name, seq } = request;
  const what = `${kind ?? resource}${name === undefined ? '' : ` ${name}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${isCertain ? '' : 'perhaps '}because ${senderText(request)} ${PAST_TENSE[verb] ?? verb} ${what}, message ${seq}`;
}

/** Whether a request is to delete: an object, by an eviction, or a collection. */
export function isDeletion({ verb, subresource }: Message): boolean {
  if (verb === 'create') return subresource === 'eviction';
  return (verb === 'delete' || verb === 'deletecollection') && subresource === undefined;
}

/** Another server's copy of a request. */
function isForwarded({ cause }: Message): boolean {
  return cause?.how === 'forwarded';
}

/** From the object itself, where the request of its watch was not captured. */
export function aboutKind({ apiVersion, kind }: NonNullable<Message['object']>): NamedResource | null {
  if (apiVersion == null || !tellsKind(kind)) return null;
  return { apiGroup: splitApiVersion(apiVersion).apiGroup, resource: resourceOfKind(kind) };
}

type PerhapsName = string | null | undefined;

function nameOf({ apiGroup = '', resource = '' }: NamedResource, namespace: PerhapsName, name: string): LifeName {
  return { apiGroup, resource, namespace: namespaceOf(resource, namespace) || null, name };
}

function placeOf({ apiGroup = '', resource = '' }: NamedResource): string {
  return `${apiGroup} ${resource}`;
}

function keyOf({ apiGroup, resource, namespace, name }: LifeName): string {
  return `${apiGroup} ${resource} ${namespace ?? ''} ${name}`;
}

const PAST_TENSE = dictionary<Readonly<Record<string, string>>>({
  create: 'created',
  update: 'updated',
  patch: 'patched',
  apply: 'applied',
  delete: 'deleted',
  deletecollection: 'deleted all',
});
const WRITES: ReadonlySet<string> = new Set(Object.keys(PAST_TENSE));
/** Written again and again, and nothing is deleted because of them. */
const BY_THE_CLOCK: ReadonlySet<string> = new Set(['leases', 'events']);
const SELECTOR = /[?&](?:field|label)Selector=/;
const CREATED = 201;
const FAILURE = 300;
/** Limit: names of objects whose deletion is followed: as many as the summary lists. */
const MAX_NAMES = 20_000;
/** Limit: objects that had one name, one after the other. */
const MAX_LIVES = 100;
/** Limit: requests to delete one object; the first of them asked. */
const MAX_ASKS = 32;
/** Limit: writes whose events may still come. */
const MAX_OPEN = 10_000;
/** Limit: messages that may lead to a deletion, with the write that began it. */
const MAX_ORIGINS = 50_000;
/** Limit: resources whose kinds are known. */
const MAX_KINDS = 1_000;
