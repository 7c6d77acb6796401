// Cuts a body into messages by their length prefixes: Kubernetes' protobuf watches (4 bytes, big-endian; apimachinery framer.go) and
// gRPC (a flag and 4 bytes; PROTOCOL-HTTP2.md).

import { ByteQueue } from '../../core/bytes/byte-queue.js';
import { copyRange, u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { MAX_ITEM_BYTES, type MessageFramer, type MessageSink } from './message-framer.js';

//   watch   [ length:4 ][ message ]          [ length:4 ][ message ] …
//   gRPC    [ flag:1 ][ length:4 ][ message ][ flag:1 ][ length:4 ][ message ] …
//   after a loss, or midway: pieces are skipped until one begins with a proven prefix
export class LengthPrefixed implements MessageFramer {
  readonly #prefix: 4 | 5;
  /** Prefix and message so far; not used for a message in one piece, as nearly all are. */
  #pending = NEVER_USED;
  #first: Origin | null = null;
  #last: Origin | null = null;
  /** Remaining bytes of a cut message, which are skipped. */
  #skip = 0;
  #lost: boolean;

  /** @param midway the first bytes may come from the middle of a message. */
  constructor(prefix: 4 | 5, midway = false) {
    this.#prefix = prefix;
    this.#lost = midway;
  }

  feed(bytes: Uint8Array, origin: Origin, sink: MessageSink): void {
    if (this.#lost) {
      if (!prefixProves(bytes, this.#prefix)) {
        sink.onSkipped(bytes.length, origin);
        return;
      }
      this.#lost = false;
    }
    let at = 0;
    if (this.#skip > 0) {
      at = Math.min(this.#skip, bytes.length);
      this.#skip -= at;
      sink.onSkipped(at, origin);
    }
    while (at < bytes.length) {
      at = this.#pending.length > 0 ? this.#continue(bytes, at, origin, sink) : this.#begin(bytes, at, origin, sink);
      if (!this.#lost) continue;
      sink.onSkipped(bytes.length - at, origin);
      return;
    }
  }

  gap(length: number | null, _origin: Origin, sink: MessageSink): void {
    const left = this.#left();
    this.#cut(sink);
    // Within a message of known length the position of the next one is known too.
    if (length !== null && length <= left) this.#skip = left - length;
    else if (length !== null && length <= this.#skip) this.#skip -= length;
    else {
      this.#skip = 0;
      this.#lost = true;
    }
  }

  end(_origin: Origin, sink: MessageSink): void {
    this.#cut(sink);
  }

  // A message that begins in this piece nearly always ends in it.
  #begin(bytes: Uint8Array, at: number, origin: Origin, sink: MessageSink): number {
    const prefix = this.#prefix;
    this.#first = origin;
    if (bytes.length - at < prefix) return this.#wait(bytes, at, origin, prefix);
    const length = u32be(bytes, at + prefix - 4);
    if (!this.#plausible(bytes[at], length, origin, sink)) return at;
    const end = at + prefix + length;
    if (end <= bytes.length) {
      const message = copyRange(bytes, at + prefix, end);
      return sink.onMessage(message, origin, origin, true, prefix === 5 && bytes[at] === 1) ? end : bytes.length;
    }
    return this.#wait(bytes, at, origin, prefix + length);
  }

  #wait(bytes: Uint8Array, at: number, origin: Origin, awaited: number): number {
    this.#last = origin;
    if (this.#pending === NEVER_USED) this.#pending = new ByteQueue();
    this.#pending.push(bytes.subarray(at), awaited);
    return bytes.length;
  }

  #continue(bytes: Uint8Array, start: number, origin: Origin, sink: MessageSink): number {
    const prefix = this.#prefix;
    const pending = this.#pending;
    let at = start;
    this.#last = origin;
    if (pending.length < prefix) {
      const take = Math.min(prefix - pending.length, bytes.length - at);
      pending.push(bytes.subarray(at, at + take));
      at += take;
      if (pending.length < prefix) return at;
      const head = pending.peek();
      if (!this.#plausible(head[0], u32be(head, prefix - 4), origin, sink)) return at;
    }
    const left = this.#left();
    const take = Math.min(left, bytes.length - at);
    pending.push(bytes.subarray(at, at + take), pending.length + left);
    if (this.#left() === 0) {
      const compressed = prefix === 5 && pending.peek()[0] === 1;
      if (!sink.onMessage(this.#take(), this.#first!, origin, true, compressed)) return bytes.length;
    }
    return at + take;
  }

  // Another flag than 0 or 1, or a length beyond the limit, is in the middle of a message.
  #plausible(flag: number, length: number, origin: Origin, sink: MessageSink): boolean {
    const flagFits = this.#prefix === 4 || flag <= 1;
    if (flagFits && length <= MAX_ITEM_BYTES) return true;
    if (flagFits) sink.onTooLong(origin);
    this.#pending.clear();
    this.#lost = true;
    return false;
  }

  /** Remaining bytes of the pending message; 0 if its length is unknown. */
  #left(): number {
    if (this.#pending.length < this.#prefix) return 0;
    return this.#prefix + u32be(this.#pending.peek(), this.#prefix - 4) - this.#pending.length;
  }

  #cut(sink: MessageSink): void {
    if (this.#pending.length > this.#prefix) {
      const compressed = this.#prefix === 5 && this.#pending.peek()[0] === 1;
      sink.onMessage(this.#take(), this.#first!, this.#last!, false, compressed);
    }
    this.#pending.clear();
  }

  #take(): Uint8Array {
    const message = copyRange(this.#pending.peek(), this.#prefix);
    this.#pending.clear();
    return message;
  }
}

/**
 * Whether a message certainly begins with this piece: messages fill it to its last byte, or one continues after it and begins like a
 * watch event of Kubernetes (a protobuf string in field 1 that is an upper-case word: `ADDED`) or a response of etcd (in field 1 the
 * ids of cluster and member and a revision: rpc.proto, ResponseHeader).
 */
export function prefixProves(bytes: Uint8Array, prefix: 4 | 5): boolean {
  let at = 0;
  while (at + prefix <= bytes.length) {
    if (prefix === 5 && bytes[at] > 1) return false;
    const length = u32be(bytes, at + prefix - 4);
    if (length === 0 || length > MAX_ITEM_BYTES) return false;
    if (prefix === 4 && isEventType(bytes, at + prefix)) return true;
    if (prefix === 5 && at + prefix + length > bytes.length) return isEtcdHeader(bytes, at + prefix);
    at += prefix + length;
  }
  return at === bytes.length && at > 0;
}

function isEventType(bytes: Uint8Array, at: number): boolean {
  const length = bytes[at + 1];
  if (bytes[at] !== STRING_IN_FIELD_1 || length < 3 || length > 16 || at + 2 + length > bytes.length) return false;
  for (let i = at + 2; i < at + 2 + length; i++) if (bytes[i] < 0x41 || bytes[i] > 0x5a) return false;
  return true;
}

//   0a 1a | 08 96 af … | 10 ec d4 … | 18 81 07 | 20 02        cluster_id = 1, member_id = 2, revision = 3
function isEtcdHeader(bytes: Uint8Array, start: number): boolean {
  if (bytes[start] !== MESSAGE_IN_FIELD_1) return false;
  let at = start + 2;
  for (const tag of ETCD_HEADER) {
    if (bytes[at] !== tag) return false;
    at += 1;
    while (at < bytes.length && bytes[at] >= 0x80) at += 1;
    at += 1;
  }
  return at <= bytes.length && at <= start + 2 + bytes[start + 1];
}

/** Shared placeholder for a stream that needs no queue. */
const NEVER_USED = new ByteQueue();
const STRING_IN_FIELD_1 = 0x0a;
const MESSAGE_IN_FIELD_1 = 0x0a;
const ETCD_HEADER = [0x08, 0x10, 0x18];
