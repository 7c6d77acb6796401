// Tells saved messages from other JSON by the first lines of a file: a folder of captures may hold other JSON too.

import { MAX_LINE_BYTES } from '../core/bytes/lines.js';
import type { Redaction } from '../redaction/redaction.js';
import { savedReader } from './read.js';

/** Decides whether a file holds saved messages, by as many of its bytes as that takes. */
export class SavedBeginning {
  readonly #reader: ReturnType<typeof savedReader>;
  #bytes = 0;
  #lines = 0;
  /** The file is one JSON document over many lines, such as a diagram's: it must be read to its end. */
  #isDocument = false;
  #first = '';

  constructor(redaction: Redaction) {
    this.#reader = savedReader({ capture: 0, nextCapture: () => 0, redaction });
  }

  /** @param bytes the next bytes, borrowed. @returns null: undecided, more bytes are needed. */
  feed(bytes: Uint8Array): boolean | null {
    if (this.#first.length < DOCUMENT.length) {
      this.#first += String.fromCharCode(...bytes.subarray(0, DOCUMENT.length));
      this.#isDocument = this.#first.startsWith(DOCUMENT);
    }
    this.#bytes += bytes.length;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) this.#lines += 1;
    if (isTold(this.#reader.feed(bytes))) return true;
    const limit = this.#isDocument ? Number.POSITIVE_INFINITY : OTHER_LINES;
    return this.#lines > limit || this.#bytes > MAX_LINE_BYTES ? false : null;
  }

  /** After the last byte. */
  end(): boolean {
    return isTold(this.#reader.end());
  }
}

/** Parse errors of single lines are ignored here; the caller reports an unreadable file once. */
function isTold(items: ReturnType<ReturnType<typeof savedReader>['feed']>): boolean {
  return items.some((item) => item.kind === 'message' || item.kind === 'saved-capture');
}

const LINE_FEED = 0x0a;
const DOCUMENT = '{\n';
/** Limit: lines of other JSON, as those of an audit log, after which a file of a folder is no capture. */
const OTHER_LINES = 100;
