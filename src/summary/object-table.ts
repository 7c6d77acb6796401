// Counts the messages about each object, with who created it, who deleted it, and its problems.

import { SeriesTable } from '../core/collections/series-table.js';
import type { Message, ObjectLife, SentWrite } from '../kubernetes/messages/message.js';

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

interface CountedObject {
  readonly life: ObjectLife;
  /** `seq` of the first message about it, which may be a request whose response said so later. */
  first: number;
  problems: number;
  messages: number;
}

export class ObjectTable {
  /** An object that was created again is another one. */
  readonly #rows = new SeriesTable<ObjectLife, CountedObject>(MAX_OBJECTS);
  /** The row that counted a request, until its response says which object it is about. */
  readonly #ofRequest = new WeakMap<Message, CountedObject>();

  /** Messages about objects beyond the limit. */
  get uncounted(): number {
    return this.#rows.leftOut;
  }

  /** @param isProblem whether the message shows one. */
  add(message: Message, isProblem: boolean): void {
    const { kind, request, about, reportsOn } = message;
    // A Kubernetes Event counts for the object that it reports on.
    const life = reportsOn ?? about;
    if (life === undefined || life.resource === 'events') return;
    const row = this.#rows.of(life, () => ({ life, first: message.seq, problems: 0, messages: 0 }));
    if (row === undefined) return;
    row.messages += 1;
    if (isProblem) row.problems += 1;
    if (kind === 'request') this.#ofRequest.set(message, row);
    if (kind !== 'response' || request === undefined) return;
    const before = this.#ofRequest.get(request);
    if (before !== undefined) before.messages -= 1;
    row.messages += 1;
    row.first = Math.min(row.first, request.seq);
  }

  /** In the order of the first messages about them. */
  result(): readonly ObjectSummary[] {
    const rows = [...this.#rows.values()].sort((a, b) => a.first - b.first);
    return rows.map(({ life, problems, messages }) => {
      const { apiGroup, resource, namespace, name, created, deletion } = life;
      return {
        apiGroup,
        resource,
        namespace,
        name,
        problems,
        messages,
        ...writeOf('created', created),
        ...writeOf('deleted', deletion?.askedBy?.request),
        ...writeOf('finished', deletion?.finishedBy?.request),
      };
    });
  }
}

function writeOf<What extends 'created' | 'deleted' | 'finished'>(
  what: What,
  write: SentWrite | null | undefined,
): { readonly [Key in What]?: ObjectWrite } {
  if (write == null) return {};
  const { from, user, seq } = write;
  const row: ObjectWrite = { by: from.name, ...(user === undefined ? null : { user }), message: seq };
  return { [what]: row } as { [Key in What]: ObjectWrite };
}

/** Limit: objects that the summary lists, some 200 bytes each; more are a page that nobody reads, and `messages` has them. */
const MAX_OBJECTS = 20_000;
