// Keeps what is known of one object's life: its name and uid, who created it, who asked for its deletion, and who finished that.

import type { Deletion, DeletionWrite, Message, ObjectLife, SentWrite } from '../messages/message.js';

/** Whose life it is. */
export type LifeName = Pick<ObjectLife, 'apiGroup' | 'resource' | 'namespace' | 'name'>;

/** The first write of a chain of causes. */
export interface FirstWrite {
  readonly request: Message;
  readonly isCertain: boolean;
}

/** A request to delete the object. */
interface Ask {
  readonly write: DeletionWrite;
  readonly origin: FirstWrite | undefined;
  /** The object was seen to be going when it was sent. */
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
  /** It was seen to wait for its end. */
  isMarked = false;
  isGone = false;
  /** The write that the end followed from. */
  finished: DeletionWrite | null = null;
  /** In the order of their sending. */
  #asks: Ask[] = [];
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
    const first = this.#asks.find(({ state }) => state === 'done');
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
  ask(write: DeletionWrite, origin: FirstWrite | undefined): Ask {
    const known = this.asked(write);
    if (known !== undefined) return known;
    const ask: Ask = { write, origin, isLate: this.isMarked, state: 'pending' };
    this.#asks.push(ask);
    if (this.#asks.length > MAX_ASKS) this.#asks.splice(1, 1);
    return ask;
  }

  asked(write: DeletionWrite | undefined): Ask | undefined {
    return this.#asks.find((one) => one.write === write);
  }

  /** An answer shows that the request was about this object, and not about one that had the name before. */
  takeAsk(ask: Ask, before: Life | undefined): void {
    if (before !== undefined) before.#asks = before.#asks.filter((one) => one !== ask);
    if (this.asked(ask.write) === undefined) this.#asks.push(ask);
  }
}

/** Limit: requests to delete one object; the first of them asked. */
const MAX_ASKS = 32;
