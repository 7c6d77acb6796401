// Heads and bodies of messages as JSON texts, redacted when they are written: the bytes of the capture are not kept. Equal bodies are kept
// once: a watch event goes to all that watch.

import { bodyText, type Details, jsonText } from '../index.js';
import { BlobSink } from './blob-sink.js';

/** Can be posted from one worker to another. */
export interface KeptDetails {
  /** One text behind the other: for each message that has any its head, which names its body by number. */
  readonly heads: Blob;
  /** For each message, where its text ends, in bytes: where that of the one before ends if it has none. */
  readonly headEnds: Float64Array;
  readonly bodies: Blob;
  /** For each body, where its text ends, in bytes. */
  readonly bodyEnds: Float64Array;
}

/** What the text of a message holds; members that it has not are absent. */
interface HeadText {
  readonly headers?: ReturnType<Details['fields']>;
  /** Number of its body. */
  readonly bodyAt?: number;
  /** Bytes of the body as they were transferred. */
  readonly bytes?: number;
}

export class DetailsKeeper {
  /** Bodies that are not kept. */
  withoutBodies = 0;
  readonly #heads = new BlobSink();
  readonly #headEnds: number[] = [];
  readonly #bodies = new BlobSink();
  readonly #bodyEnds: number[] = [];
  /** Numbers of bodies by their texts. */
  readonly #numbers = new Map<string, number>();
  readonly #encoder = new TextEncoder();
  /** Messages whose details were kept. */
  #kept = 0;
  /** No text of any size is kept any more. */
  #isFull = false;

  /** @param details of the next message; undefined: it has none. */
  add(details: Details | undefined): void {
    if (details !== undefined && !this.#keeps(details) && details.bodyBytes() !== 0) this.withoutBodies += 1;
    this.#headEnds.push(this.#heads.length);
  }

  end(): KeptDetails {
    return {
      heads: this.#heads.end(),
      headEnds: Float64Array.from(this.#headEnds),
      bodies: this.#bodies.end(),
      bodyEnds: Float64Array.from(this.#bodyEnds),
    };
  }

  /** @returns false: not its body, or nothing of it. */
  #keeps(details: Details): boolean {
    if (this.#isFull) return false;
    this.#kept += 1;
    this.#isFull = this.#kept >= MAX_DETAILED;
    const bytes = details.bodyBytes();
    const isShort = (bytes ?? 0) <= MAX_BODY;
    const body = isShort ? details.body() : undefined;
    const text = body === undefined ? '' : bodyText(body);
    const headers = details.fields();
    const known = this.#numbers.get(text);
    const bodyAt = text === '' ? undefined : (known ?? this.#bodyEnds.length);
    const members: HeadText = { headers: headers.length === 0 ? undefined : headers, bodyAt, bytes };
    const head = this.#encoder.encode(jsonText(members));
    const added = text === '' || known !== undefined ? NOTHING : this.#encoder.encode(text);
    if (this.#heads.length + this.#bodies.length + head.length + added.length > MAX_DETAILS) {
      this.#isFull = true;
      return false;
    }
    this.#heads.append(head);
    if (added.length > 0) {
      this.#bodies.append(added);
      this.#numbers.set(text, this.#bodyEnds.push(this.#bodies.length) - 1);
    }
    return isShort;
  }
}

/** Heads and bodies that were kept. */
export class DetailsTexts {
  readonly #heads: Uint8Array;
  readonly #headEnds: Float64Array;
  readonly #bodies: Uint8Array;
  readonly #bodyEnds: Float64Array;
  readonly #decoder = new TextDecoder();

  constructor(heads: Uint8Array, bodies: Uint8Array, { headEnds, bodyEnds }: KeptDetails) {
    this.#heads = heads;
    this.#headEnds = headEnds;
    this.#bodies = bodies;
    this.#bodyEnds = bodyEnds;
  }

  /** @param place of a message among all. */
  of(place: number): Details | undefined {
    return partOf(this.#heads, this.#headEnds, place).length === 0 ? undefined : new ReadDetails(this, place);
  }

  head(place: number): HeadText {
    return this.#read(partOf(this.#heads, this.#headEnds, place)) as HeadText;
  }

  body(number: number): ReturnType<Details['body']> {
    return this.#read(partOf(this.#bodies, this.#bodyEnds, number)) as ReturnType<Details['body']>;
  }

  #read(text: Uint8Array): unknown {
    return JSON.parse(this.#decoder.decode(text));
  }
}

/** Those of one message, read each time when they are asked for: few are, one after the other, and there are tens of thousands. */
class ReadDetails implements Details {
  readonly #texts: DetailsTexts;
  readonly #place: number;

  constructor(texts: DetailsTexts, place: number) {
    this.#texts = texts;
    this.#place = place;
  }

  fields(): ReturnType<Details['fields']> {
    return this.#texts.head(this.#place).headers ?? [];
  }

  body(): ReturnType<Details['body']> {
    const { bodyAt } = this.#texts.head(this.#place);
    return bodyAt === undefined ? undefined : this.#texts.body(bodyAt);
  }

  bodyBytes(): number | undefined {
    return this.#texts.head(this.#place).bytes;
  }
}

function partOf(texts: Uint8Array, ends: Float64Array, place: number): Uint8Array {
  return texts.subarray(place === 0 ? 0 : ends[place - 1], ends[place]);
}

const NOTHING = new Uint8Array(0);
/** Limit in bytes: heads and bodies that the page keeps, as JSON: those of some ten thousand objects. */
export const MAX_DETAILS = 16 * 1024 ** 2;
/** Limit: messages whose heads and bodies the page keeps: as many as a view shows; to decode and redact those of 10,000 takes a second. */
export const MAX_DETAILED = 20_000;
/** Limit in bytes: one body that the page keeps, as transferred: a longer one would not be shown. */
const MAX_BODY = 1024 ** 2;
