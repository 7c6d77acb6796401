// Keeps what is known of one object's life: its name and uid, who created it, who asked for its deletion, and who finished that.

import type { Deletion, DeletionWrite, Message, ObjectLife, SentWrite } from '../messages/message.js';

/** Whose life it is. */
export type LifeName = Pick<ObjectLife, 'apiGroup' | 'resource' | 'namespace' | 'name'>;

/** The first write of a chain of causes. */
export interface FirstWrite {
  readonly request: Message;
  readonly isCertain: boolean;
}

/** A request to delete the object, and whether it succeeded. */
interface DeletionRequest {
  readonly write: DeletionWrite;
  readonly origin: FirstWrite | undefined;
  /** The object had a deletion timestamp when it was sent. */
  readonly isLate: boolean;
  state: 'pending' | 'done' | 'failed';
}

export class Life implements ObjectLife {
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  uid: string | null;
  created: SentWrite | null = null;
  /** It was seen with a deletion timestamp. */
  isMarked = false;
  isGone = false;
  /** The write that the end followed from. */
  finished: DeletionWrite | null = null;
  /** In the order of their sending. */
  #requests: DeletionRequest[] = [];
  readonly #kindOf: (request: Message) => string | null;

  /** @param kindOf the kind of a request's object, as far as it is known when it is asked for. */
  constructor(name: LifeName, uid: string | null, kindOf: (request: Message) => string | null) {
    this.apiGroup = name.apiGroup;
    this.resource = name.resource;
    this.namespace = name.namespace;
    this.name = name.name;
    this.uid = uid;
    this.#kindOf = kindOf;
  }

  get deletion(): Deletion | null {
    const first = this.#requests.find(({ state }) => state === 'done');
    if (first === undefined && !this.isMarked && !this.isGone) return null;
    // Who asked before it was marked was not captured.
    const asked = first === undefined || first.isLate ? undefined : first;
    const { request, isCertain } = asked?.origin ?? {};
    const isOther = request !== undefined && request.seq !== asked?.write.request.seq;
    return {
      askedBy: asked?.write ?? null,
      because: isOther ? { request, kind: this.#kindOf(request), isCertain: isCertain === true } : null,
      finishedBy: this.finished === asked?.write ? null : this.finished,
    };
  }

  /** A request asks for the deletion. */
  requestDeletion(write: DeletionWrite, origin: FirstWrite | undefined): DeletionRequest {
    const known = this.deletionRequest(write);
    if (known !== undefined) return known;
    const added: DeletionRequest = { write, origin, isLate: this.isMarked, state: 'pending' };
    this.#requests.push(added);
    if (this.#requests.length > MAX_REQUESTS) this.#requests.splice(1, 1);
    return added;
  }

  deletionRequest(write: DeletionWrite | undefined): DeletionRequest | undefined {
    return this.#requests.find((one) => one.write === write);
  }

  /** Takes over a request that its response shows to be about this object. @param before the life that had the name before. */
  adopt(request: DeletionRequest, before: Life | undefined): void {
    if (before !== undefined) before.#requests = before.#requests.filter((one) => one !== request);
    if (this.deletionRequest(request.write) === undefined) this.#requests.push(request);
  }
}

/** Limit: requests to delete one object; the first one stays. */
const MAX_REQUESTS = 32;
