// Heads and bodies of messages as JSON texts, redacted when they are written: the bytes of the capture are not kept.

import { bodyText, type Details, jsonText } from '../index.js';

/** What a text holds; members that a message has not are absent. */
interface DetailsText {
  readonly headers?: ReturnType<Details['fields']>;
  readonly body?: ReturnType<Details['body']>;
  /** Bytes of the body as they were transferred. */
  readonly bytes?: number;
}

/** @param withBody else its head alone. @returns empty: there is neither. */
export function detailsText(details: Details, withBody: boolean): string {
  const headers = details.fields();
  const body = withBody ? details.body() : undefined;
  const bytes = details.bodyBytes();
  const members = [
    ...(headers.length === 0 ? [] : [`"headers":${jsonText(headers)}`]),
    ...(body === undefined ? [] : [`"body":${bodyText(body)}`]),
    ...(bytes === undefined ? [] : [`"bytes":${bytes}`]),
  ];
  return members.length === 0 ? '' : `{${members.join()}}`;
}

/** Reads a text each time when it is asked: few of them are, one after the other. */
export class KeptDetails implements Details {
  readonly #text: Uint8Array;

  /** @param text in UTF-8. */
  constructor(text: Uint8Array) {
    this.#text = text;
  }

  fields(): ReturnType<Details['fields']> {
    return this.#read().headers ?? [];
  }

  body(): ReturnType<Details['body']> {
    return this.#read().body;
  }

  bodyBytes(): number | undefined {
    return this.#read().bytes;
  }

  #read(): DetailsText {
    return JSON.parse(new TextDecoder().decode(this.#text)) as DetailsText;
  }
}
