// Finds hot loops: one client repeats one request about one object, and the answer shows each time the version that it knew.

import { LruMap } from '../../core/collections/bounded.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { objectWords, requestKey } from '../request-words.js';
import { findingOf, MAX_FINDINGS, type Recurrence, type UsageFinding } from './finding.js';
import { RecentOccurrences } from './window.js';

interface Repeated {
  resourceVersion: string;
  readonly recent: RecentOccurrences;
}

export class HotLoops {
  readonly #threshold: number;
  readonly #repeated = new LruMap<string, Repeated>(MAX_OBJECTS, 'requests that may be a loop');
  readonly #loops: { readonly request: Message; readonly repetition: Recurrence }[] = [];

  /** @param rate requests a second. */
  constructor(rate: number) {
    this.#threshold = Math.max(2, Math.ceil(rate * WINDOW_SECONDS));
  }

  observe(request: Message, { object, status = 0 }: Message): void {
    const { verb, resource, name } = request;
    // A list's version is that of the whole store.
    if (resource === undefined || name === undefined || verb === 'list' || verb === 'watch') return;
    const resourceVersion = object?.resourceVersion;
    if (status >= 400 || resourceVersion == null) return;
    const key = requestKey(request);
    let known = this.#repeated.get(key);
    if (known === undefined) {
      known = { resourceVersion, recent: new RecentOccurrences(WINDOW_NS, this.#threshold) };
      this.#repeated.set(key, known);
    } else if (known.resourceVersion !== resourceVersion) {
      known.resourceVersion = resourceVersion;
      known.recent.clear();
    }
    const begun = known.recent.add(request.time, request.seq);
    if (begun !== null && this.#loops.length < MAX_FINDINGS) this.#loops.push({ request, repetition: begun });
  }

  findings(): UsageFinding[] {
    return this.#loops.map(({ request, repetition }) =>
      findingOf(
        'hot-loop',
        [request.from],
        `${request.verb ?? ''} ${objectWords(request)} ${repetition.words}, and nothing changed`,
        repetition,
      ),
    );
  }
}

/** Seconds over which the rate is measured: a controller manager that starts looks 38 times at one Namespace within 5 s, and then never again. */
const WINDOW_SECONDS = 20;
const WINDOW_NS = BigInt(WINDOW_SECONDS) * 1_000_000_000n;
/** Limit: requests about objects whose repetition is observed, each with up to `--loop-rate` times 20 places. */
const MAX_OBJECTS = 4096;
