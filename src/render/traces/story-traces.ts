// Puts spans into traces by the object that they are about: the life of one object, with what it caused, is one trace.

import { RecentMap } from '../../core/collections/bounded.js';
import { objectKey } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { FoundCause } from './exchange-tracker.js';

/** A span that others refer to. */
export interface SpanRef {
  readonly seq: number;
  /** Of a request that carries a traceparent, or of a part's exchange, or of a story; else the trace is the span's own. */
  readonly traceId?: string;
  readonly parentId?: string;
  /** Of another program's span; else it is by `seq`. */
  readonly spanId?: string;
}

/** What a span links to: a cause, or the span of which a `traceparent` tells. */
export interface SpanCause extends Omit<FoundCause<SpanRef>, 'how'> {
  readonly how: FoundCause<SpanRef>['how'] | 'traceparent';
}

interface Ids {
  spanId(seq: number): string;
  traceId(seq: number): string;
}

/**
 * A span's parent is its certain cause. Its trace is that of the object; of an object that was not met before, that of the likeliest cause;
 * else its own. With `isOne` all spans are of one story, as where one object is followed.
 */
export class StoryTraces {
  readonly #ids: Ids;
  readonly #isOne: boolean;
  readonly #byObject = new RecentMap<string, string>(MAX_OBJECTS);
  #first: string | undefined;

  constructor(ids: Ids, isOne: boolean) {
    this.#ids = ids;
    this.#isOne = isOne;
  }

  /** @param within the exchange of an event or of a piece of a stream. */
  refOf(message: Message, causes: readonly SpanCause[], within?: SpanRef): SpanRef {
    const { seq } = message;
    const key = objectKeyOf(message);
    const likeliest = causes.find(({ ref, alternative }) => ref !== undefined && !alternative);
    const traceId = this.#storyOf(seq, key, likeliest?.ref ?? (key === undefined ? within : undefined));
    this.#learn(message, key, traceId);
    const parent = likeliest?.certain === true ? likeliest.ref : within;
    // A parent is in the same trace; another trace is linked to.
    return parent === undefined || this.#traceOf(parent) !== traceId
      ? { seq, traceId }
      : { seq, traceId, parentId: this.#ids.spanId(parent.seq) };
  }

  /** The name of an object that the API server chose is in its answer. */
  answered(response: Message, { seq, traceId = this.#ids.traceId(seq) }: SpanRef): void {
    this.#learn(response, objectKeyOf(response), traceId);
  }

  #storyOf(seq: number, key: string | undefined, other: SpanRef | undefined): string {
    if (this.#isOne) {
      this.#first ??= this.#ids.traceId(seq);
      return this.#first;
    }
    const known = key === undefined ? undefined : this.#byObject.get(key);
    return known ?? (other === undefined ? this.#ids.traceId(seq) : this.#traceOf(other));
  }

  #learn({ type }: Message, key: string | undefined, traceId: string): void {
    if (key === undefined) return;
    // What has the name of a deleted object later is another object.
    if (type === 'DELETED') this.#byObject.delete(key);
    else if (this.#byObject.get(key) === undefined) this.#byObject.set(key, traceId);
  }

  #traceOf({ seq, traceId }: SpanRef): string {
    return traceId ?? this.#ids.traceId(seq);
  }
}

/** Of a resource and of a kind the same. */
function objectKeyOf({ resource, namespace, name, object }: Message): string | undefined {
  const [kind, of, called] =
    resource === undefined
      ? [object?.kind, object?.namespace, object?.name]
      : [resource, namespace, name ?? object?.name];
  if (kind === undefined || called == null || called === '') return undefined;
  const word = kind
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/(?<!s)s$/, '');
  return objectKey(word, undefined, of, called);
}

/** Limit: objects whose trace is remembered: those of a large cluster's busy hours. 0.2 KiB each. */
const MAX_OBJECTS = 65_536;
