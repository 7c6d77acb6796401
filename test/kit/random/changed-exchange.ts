// An exchange of HTTP whose heads are others than those that were captured.

import type { Exchange } from '../../../src/http/exchange-event.js';
import type { Fields, RequestHead, ResponseHead } from '../../../src/http/http-event.js';

interface Changes {
  readonly request: (head: RequestHead) => RequestHead;
  readonly response: (head: ResponseHead) => ResponseHead;
  readonly fields: (fields: Fields) => Fields;
}

/** An exchange whose heads are others; the one behind it fills them in as they come. */
export class ChangedExchange implements Exchange {
  readonly #original: Exchange;
  readonly #changes: Changes;
  readonly #made = new Map<object, unknown>();

  constructor(original: Exchange, changes: Changes) {
    this.#original = original;
    this.#changes = changes;
  }

  get connection() {
    return this.#original.connection;
  }
  get stream() {
    return this.#original.stream;
  }
  get upgraded() {
    return this.#original.upgraded;
  }
  get request() {
    return this.#once(this.#original.request, this.#changes.request);
  }
  get response() {
    return this.#once(this.#original.response, this.#changes.response);
  }
  get trailers() {
    return this.#once(this.#original.trailers, this.#changes.fields);
  }

  #once<T extends object>(head: T | null, change: (head: T) => T): T | null {
    if (head === null) return null;
    let made = this.#made.get(head) as T | undefined;
    if (made === undefined) {
      made = change(head);
      this.#made.set(head, made);
    }
    return made;
  }
}
