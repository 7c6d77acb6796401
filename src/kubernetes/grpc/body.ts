// Reads and wraps the messages of a gRPC body.
//
//   [ flag:1 ][ length:4 ][ message ]            PROTOCOL-HTTP2.md "Length-Prefixed-Message"

import { u32be } from '../../core/bytes/bytes.js';
import type { Body } from '../../http/exchange-event.js';

/** One message of a call as the body of its request or answer. */
export class MessageBody implements Body {
  readonly contentType = 'application/grpc';
  readonly contentEncoding = '';
  readonly length: number;
  readonly complete: boolean;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, complete: boolean) {
    this.#bytes = bytes;
    this.length = bytes.length;
    this.complete = complete;
  }

  read(): { bytes: Uint8Array; complete: boolean } {
    return { bytes: this.#bytes, complete: this.complete };
  }
}

/**
 * The messages of a body that was not known to be a stream, as its head was missing.
 * @returns views, none of a message that is cut or compressed.
 */
export function messagesOf(body: Body): Uint8Array[] {
  const { bytes } = body.read();
  const messages: Uint8Array[] = [];
  for (let at = 0; at + PREFIX <= bytes.length; ) {
    const end = at + PREFIX + u32be(bytes, at + 1);
    if (bytes[at] !== 0 || end > bytes.length) break;
    messages.push(bytes.subarray(at + PREFIX, end));
    at = end;
  }
  return messages;
}

const PREFIX = 5;
