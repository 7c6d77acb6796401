// Redacts the label of a saved message part by part, as labels.ts puts it together: its line may be from anywhere, or made with
// `--show-secrets`.

import { BoundedMap, CACHE } from '../core/collections/bounded.js';
import { requestText } from '../kubernetes/api/labels.js';
import type { Shown } from '../kubernetes/messages/message.js';
import type { Redaction } from '../redaction/redaction.js';
import { rewritten, sentence } from '../redaction/shown.js';

export class SavedLabels {
  readonly #redaction: Redaction;
  readonly #known = new BoundedMap<string, KnownLabel>(MAX_LABELS, CACHE);

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  /**
   * @param label as the line has it. @param target as the line has it, and `shown` of it; undefined: the message has none.
   */
  of(label: string, target: string | undefined, shown: Shown | undefined): Shown {
    const known = this.#known.get(label);
    if (known !== undefined && known.target === target && known.shownTarget === shown) return known.label;
    const quoting = QUOTING.exec(label);
    // What is shown of a quoted text depends on the names in the messages before it.
    if (quoting !== null)
      return sentence`${this.#redaction.name(quoting[1])}${this.#redaction.text(label.slice(quoting[1].length))}`;
    const progress = PROGRESS.exec(label);
    if (progress !== null)
      return sentence`[DATA] ${this.#redaction.text(progress[1])}${this.#redaction.name(progress[2])}`;
    const made = this.#made(label, target, shown);
    if (label.length <= LONGEST) this.#known.set(label, { target, shownTarget: shown, label: made });
    return made;
  }

  #made(label: string, target: string | undefined, shown: Shown | undefined): Shown {
    const redaction = this.#redaction;
    const call = STORE_CALL.exec(label);
    if (call !== null) {
      const words = redaction.name(label.slice(call[0].length));
      return sentence`${redaction.name(call[0])}${rewritten(words, (text) => this.#storeWords(text))}`;
    }
    const request = REQUEST.exec(label);
    if (request === null || target === undefined || shown === undefined) return redaction.name(label);
    const [head, method] = request;
    for (const text of [target, requestText(target)])
      if (label.startsWith(text, head.length))
        return sentence`[REQ] ${redaction.name(method)} ${text === target ? shown : rewritten(shown, requestText)}${redaction.name(label.slice(head.length + text.length))}`;
    return sentence`[REQ] ${redaction.name(method)} ${rewritten(shown, requestText)}`;
  }

  /** Keys in the words of a call of etcd; a list that continues has the rest of its key behind `after`. */
  #storeWords(words: string): string {
    let prefix = '';
    return words.replace(STORE_KEY, (key, after: string | undefined) => {
      if (after === undefined) {
        prefix = key;
        return this.#redaction.storeKey(key);
      }
      const whole = this.#redaction.storeKey(prefix + key.slice(after.length));
      return after + (whole.startsWith(prefix) ? whole.slice(prefix.length) : whole);
    });
  }
}

interface KnownLabel {
  readonly target: string | undefined;
  readonly shownTarget: Shown | undefined;
  readonly label: Shown;
}

/** Limit: labels whose redaction is remembered: those that recur within a minute of a busy API server, some 300 bytes each. */
const MAX_LABELS = 4096;
/** Characters of a label that is remembered. */
const LONGEST = 512;
const REQUEST = /^\[REQ\] (\(method not captured\)|[A-Za-z-]{1,40}) /;
/** A call of etcd, whose words hold keys. */
const STORE_CALL =
  /^\[RPC\] KV\/\w{1,40} |^\[RPC\] (?:Watch\/Watch|\(method not captured\)) |^\[RPC-CHUNK\] (?:PUT|DELETE) /;
const STORE_KEY = /(after )?[^\s,…]*\/[^\s,…]*/g;
/** A step of docker's progress: its text, and what follows it: a layer, and how much of it is there. */
const PROGRESS =
  /^\[DATA\] (?!(?:(?:stdin|stdout|stderr|error|resize|data|log) )?(?:port \d+ )?\d+ bytes?$)(.*?)((?: [0-9a-f]{12})?(?:, \d+ of \d+ bytes)?)$/s;
/** Labels that quote a text: a webhook's message in its verdict, and an engine's error in a pull. */
const QUOTING = /^(\[RESP\] .{1,60}?, (?:allowed|allowed, with changes|denied|not converted): |\[DATA\] error: )/s;
