// Counts the messages about each object, with who created it, who deleted it, and its problems.

import { requestOf } from '../kubernetes/emitted/exchange-requests.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { ObjectLife } from '../object-history/deletions.js';
import { type AboutObject, MessageObjects } from '../object-history/message-objects.js';

export interface ObjectSummary {
  readonly apiGroup: string;
  readonly resource: string;
  /** null: cluster-scoped. */
  readonly namespace: string | null;
  readonly name: string;
  /** The write that created it; absent: it was there before, or the write was not captured. */
  readonly created?: ObjectWrite;
  /** The first request by which it was to be deleted: its own, an eviction, or one to delete a collection. */
  readonly deleted?: ObjectWrite;
  /** A later request that took what the deletion waited for: a finalizer, a grace period. */
  readonly finished?: ObjectWrite;
  /** Messages that show a problem of it. */
  readonly problems: number;
  /** Messages about it in all layers, with those of Events that report on it. */
  readonly messages: number;
}

export interface ObjectWrite {
  /** The participant that sent it. */
  readonly by: string;
  /** absent: no message tells it. */
  readonly user?: string;
  /** `seq` of the request. */
  readonly message: number;
}

type SentWrite = Pick<Message, 'from' | 'user' | 'seq'>;

interface CountedObject {
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  created: SentWrite | undefined;
  /** From the creation of one object to its deletion: a later object of that name has another. */
  life: ObjectLife | undefined;
  problems: number;
  messages: number;
}

export class ObjectTable {
  /** In the order of their first messages; an object that was created again has a row for each time. */
  readonly #rows: CountedObject[] = [];
  /** The latest row of each name. */
  readonly #byName = new Map<string, CountedObject>();
  readonly #ofLife = new Map<ObjectLife, CountedObject>();
  readonly #objects = new MessageObjects();
  /** Where a request was counted until its response says which object has the name. */
  readonly #ofRequest = new WeakMap<Message, CountedObject>();
  /** Messages about objects beyond the limit. */
  uncounted = 0;

  /** @param isProblem whether the message shows one. */
  add(message: Message, isProblem: boolean): void {
    const request = requestOf(message);
    const about = this.#objects.feed(message);
    // A Kubernetes Event counts for the object that it reports on.
    if (about === null || about.name === null || about.resource === 'events') return;
    const isMade = message.kind === 'response' && request !== undefined && isCreation(request, message);
    const row = this.#rowOf({ ...about, name: about.name }, isMade);
    if (row === undefined) {
      this.uncounted += 1;
      return;
    }
    row.messages += 1;
    if (isProblem) row.problems += 1;
    if (request === undefined) return;
    if (message.kind === 'request') this.#ofRequest.set(request, row);
    if (message.kind !== 'response') return;
    const before = this.#ofRequest.get(request);
    if (before !== undefined) before.messages -= 1;
    row.messages += 1;
    if (isMade) row.created ??= { from: request.from, user: request.user, seq: request.seq };
  }

  result(): readonly ObjectSummary[] {
    return this.#rows.map(({ created, life, ...row }) => ({
      ...row,
      ...(created === undefined ? null : { created: writeOf(created) }),
      ...deletedOf(life),
    }));
  }

  /** @param isMade the message says that the object is new. */
  #rowOf(about: AboutObject & { readonly name: string }, isMade: boolean): CountedObject | undefined {
    const { apiGroup, resource, namespace, name, life } = about;
    const known = life === null ? undefined : this.#ofLife.get(life);
    if (known !== undefined) return known;
    const key = `${apiGroup} ${resource} ${namespace ?? ''} ${name}`;
    let row = this.#byName.get(key);
    // The name was another object's before.
    const isOther = life === null ? isMade && row?.created !== undefined : row?.life !== undefined;
    if (row === undefined || isOther) {
      if (this.#rows.length >= MAX_OBJECTS) return undefined;
      row = { apiGroup, resource, namespace, name, created: undefined, life: undefined, problems: 0, messages: 0 };
      this.#rows.push(row);
      this.#byName.set(key, row);
    }
    if (life !== null) {
      row.life = life;
      this.#ofLife.set(life, row);
    }
    return row;
  }
}

/** An update or an apply may create, too; 201 says that it did. Of an Event, the object that it reports on is not made. */
function isCreation(request: Message, { status }: Message): boolean {
  const { protocol, resource, subresource, dryRun, cause } = request;
  const isOfObject = protocol === 'kubernetes' && resource !== 'events' && subresource === undefined;
  return isOfObject && cause?.how !== 'forwarded' && dryRun !== true && status === CREATED;
}

function writeOf({ from, user, seq }: SentWrite): ObjectWrite {
  return { by: from.name, ...(user === undefined ? null : { user }), message: seq };
}

function deletedOf(life: ObjectLife | undefined): Pick<ObjectSummary, 'deleted' | 'finished'> {
  const { askedBy = null, finishedBy = null } = life?.deletion ?? {};
  return {
    ...(askedBy === null ? null : { deleted: writeOf(askedBy.request) }),
    ...(finishedBy === null ? null : { finished: writeOf(finishedBy.request) }),
  };
}

const CREATED = 201;
/** Limit: objects that the summary lists, some 200 bytes each; more are a page that nobody reads, and `messages` has them. */
const MAX_OBJECTS = 20_000;
