// Keeps heads and bodies of messages as JSON texts, which are redacted when they are written. Equal bodies are kept once: a watch event goes
// to all that watch.

import { bodyText, type Details, jsonText } from '../index.js';
import { BlobSink } from './blob-sink.js';

/** Can be posted from one worker to another. */
export interface KeptDetails {
  /** By the place of the message; empty: its details are not kept, or it has none. */
  readonly heads: PackedTexts;
  readonly bodies: PackedTexts;
}

/** What the text of a head holds; members that the message has not are absent. */
interface HeadText {
  readonly headers?: ReturnType<Details['fields']>;
  /** Number of its body. */
  readonly bodyAt?: number;
  /** Bytes of the body as they were transferred. */
  readonly bytes?: number;
}

export class DetailsKeeper {
  /** Messages whose body is not kept. */
  withoutBodies = 0;
  readonly #heads = new TextAppender();
  readonly #bodies = new TextAppender();
  /** Numbers of bodies by their texts. */
  readonly #numbers = new Map<string, number>();
  readonly #encoder = new TextEncoder();
  /** Messages whose details are kept. */
  #kept = 0;
  /** One did not fit: all that follow are left out, however small they are. */
  #isFull = false;

  /** @param details of the next message; undefined: it has none. */
  add(details: Details | undefined): void {
    const head = details === undefined ? null : this.#headOf(details);
    this.#heads.add(head ?? NOTHING);
  }

  end(): KeptDetails {
    return { heads: this.#heads.end(), bodies: this.#bodies.end() };
  }

  /** Keeps the body. @returns the text of the head, in UTF-8; null: beyond the limits. */
  #headOf(details: Details): Uint8Array | null {
    const bytes = details.bodyBytes();
    const isShort = (bytes ?? 0) <= MAX_BODY;
    const head = this.#isFull || this.#kept >= MAX_MESSAGES_WITH_DETAILS ? null : this.#keep(details, isShort);
    if ((head === null || !isShort) && bytes !== 0) this.withoutBodies += 1;
    return head;
  }

  #keep(details: Details, withBody: boolean): Uint8Array | null {
    const body = withBody ? details.body() : undefined;
    const text = body === undefined ? undefined : bodyText(body);
    const known = text === undefined ? undefined : this.#numbers.get(text);
    const added = text === undefined || known !== undefined ? undefined : this.#encoder.encode(text);
    const headers = details.fields();
    const members: HeadText = {
      headers: headers.length === 0 ? undefined : headers,
      bodyAt: added === undefined ? known : this.#bodies.count,
      bytes: details.bodyBytes(),
    };
    const head = this.#encoder.encode(jsonText(members));
    if (this.#heads.bytes + this.#bodies.bytes + head.length + (added?.length ?? 0) > MAX_DETAILS_BYTES) {
      this.#isFull = true;
      return null;
    }
    if (text !== undefined && added !== undefined) {
      this.#numbers.set(text, this.#bodies.count);
      this.#bodies.add(added);
    }
    this.#kept += 1;
    return head;
  }
}

/** Heads and bodies that were kept. */
export class DetailsReader {
  readonly #headOf: (place: number) => Uint8Array;
  readonly #bodyOf: (number: number) => Uint8Array;
  readonly #decoder = new TextDecoder();

  private constructor(headOf: (place: number) => Uint8Array, bodyOf: (number: number) => Uint8Array) {
    this.#headOf = headOf;
    this.#bodyOf = bodyOf;
  }

  static async of({ heads, bodies }: KeptDetails): Promise<DetailsReader> {
    return new DetailsReader(await textsIn(heads), await textsIn(bodies));
  }

  /** @param place of a message among all. */
  details(place: number): Details | undefined {
    return this.#headOf(place).length === 0 ? undefined : new ReadDetails(this, place);
  }

  head(place: number): HeadText {
    return this.#read(this.#headOf(place)) as HeadText;
  }

  body(number: number): ReturnType<Details['body']> {
    return this.#read(this.#bodyOf(number)) as ReturnType<Details['body']>;
  }

  #read(text: Uint8Array): unknown {
    return JSON.parse(this.#decoder.decode(text));
  }
}

/** Details of one message, read each time when they are asked for: there are tens of thousands, and few are asked for at a time. */
class ReadDetails implements Details {
  readonly #reader: DetailsReader;
  readonly #place: number;

  constructor(reader: DetailsReader, place: number) {
    this.#reader = reader;
    this.#place = place;
  }

  fields(): ReturnType<Details['fields']> {
    return this.#reader.head(this.#place).headers ?? [];
  }

  body(): ReturnType<Details['body']> {
    const { bodyAt } = this.#reader.head(this.#place);
    return bodyAt === undefined ? undefined : this.#reader.body(bodyAt);
  }

  bodyBytes(): number | undefined {
    return this.#reader.head(this.#place).bytes;
  }
}

const NOTHING = new Uint8Array(0);
/** Limit in bytes: heads and bodies that the page keeps, as JSON: those of some ten thousand objects. */
export const MAX_DETAILS_BYTES = 16 * 1024 ** 2;
/** Limit: messages whose heads and bodies the page keeps: as many as a view shows; to decode and redact those of 10,000 takes a second. */
export const MAX_MESSAGES_WITH_DETAILS = 20_000;
/** Limit in bytes: one body that the page keeps, as transferred: a longer one would not be shown. */
export const MAX_BODY = 1024 ** 2;

/** Can be posted from one worker to another. */
export interface PackedTexts {
  /** In UTF-8. */
  readonly blob: Blob;
  /** Where each text ends, in bytes. */
  readonly ends: Float64Array;
}

export class TextAppender {
  readonly #sink = new BlobSink();
  readonly #ends: number[] = [];
  #bytes = 0;

  /** Bytes of all texts. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of texts, which is the number of the next one. */
  get count(): number {
    return this.#ends.length;
  }

  /** @param text in UTF-8; may be empty. */
  add(text: Uint8Array): void {
    this.#sink.append(text);
    this.#bytes += text.length;
    this.#ends.push(this.#bytes);
  }

  end(): PackedTexts {
    return { blob: this.#sink.end(), ends: Float64Array.from(this.#ends) };
  }
}

/** @returns the text of a number, in UTF-8: a part of all of them. */
export async function textsIn({ blob, ends }: PackedTexts): Promise<(number: number) => Uint8Array> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return (number) => bytes.subarray(number === 0 ? 0 : ends[number - 1], ends[number]);
}
