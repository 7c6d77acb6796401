// Collects messages for a block of a spool: numbers in columns, everything else packed.

import { FIELD_ROWS, KINDS } from '../kubernetes/messages/fields.js';
import type { Message, MessageKind } from '../kubernetes/messages/message.js';
import { presentFields } from '../kubernetes/messages/present-fields.js';
import { BLOCK_MESSAGES, BlockColumns, type BlockPlace } from './block-layout.js';
import { encodeTexts } from './block-texts.js';
import type { ParticipantNumbers } from './participant-numbers.js';
import type { SpoolSink } from './spool-storage.js';
import { ValuePacker } from './value-packer.js';

export class BlockWriter {
  readonly #columns = new BlockColumns();
  readonly #packer = new ValuePacker();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === BLOCK_MESSAGES;
  }

  /** @param message without head and body. @param mark sixteen bits of the caller's. */
  add(message: Message, mark: number, participants: ParticipantNumbers): void {
    const at = this.#count++;
    const columns = this.#columns;
    columns.time[at] = message.time;
    columns.started[at] = message.started;
    columns.seq[at] = message.seq;
    columns.exchange[at] = message.exchange;
    columns.causedBy[at] = message.causedBy ?? 0;
    columns.from[at] = participants.of(message.from);
    columns.to[at] = participants.of(message.to);
    columns.kind[at] = KIND_NUMBERS[message.kind];
    columns.mark[at] = mark;
    this.#packer.text(message.connection);
    this.#packFields(message, participants);
    this.#packBase(message);
    columns.end[at] = this.#packer.length;
  }

  /** Appends the block to a spool, and begins another one. @param offset end of the spool, in bytes. */
  write(sink: SpoolSink, offset: number): BlockPlace {
    const { bytes, length } = this.#packer;
    const texts = encodeTexts(this.#packer.texts);
    const ends = new Uint8Array(texts.ends.buffer);
    const parts = [this.#columns.bytes, bytes.subarray(0, length), ends, texts.bytes];
    for (const part of parts) sink.append(part);
    const place: BlockPlace = {
      offset,
      bytes: parts.reduce((sum, part) => sum + part.length, 0),
      count: this.#count,
      values: length,
      texts: texts.ends.length,
      textBytes: texts.bytes.length,
    };
    this.#packer.clear();
    this.#count = 0;
    return place;
  }

  #packBase(message: Message): void {
    const packer = this.#packer;
    packer.text(message.protocol);
    packer.value(message.fromName);
    packer.value(message.toName);
    packer.text(message.label);
    packer.value(message.stream);
    packer.uint(message.capture);
    packer.value(message.lastCapture);
    packer.uint(message.frames[0]);
    packer.uint(message.frames[1]);
    packer.value(message.complete);
    packer.value(message.inferred);
    packer.value(message.cause);
    packer.value(message.viaNames);
  }

  #packFields(message: Message, participants: ParticipantNumbers): void {
    const packer = this.#packer;
    const fields = message as unknown as Readonly<Record<string, unknown>>;
    const { indices, count } = presentFields(message);
    packer.uint(count);
    for (let i = 0; i < count; i++) {
      const index = indices[i];
      packer.uint(index);
      if (index === VIA) packer.value(message.via?.map((one) => participants.of(one)));
      else if (index === NAMESPACE) packer.namespace(message.namespace);
      else packer.value(fields[NAMES[index]]);
    }
  }
}

const KIND_NUMBERS = Object.fromEntries(KINDS.map((kind, i) => [kind, i])) as Readonly<Record<MessageKind, number>>;
const NAMES: readonly string[] = FIELD_ROWS.map(([name]) => name);
const VIA = NAMES.indexOf('via');
const NAMESPACE = NAMES.indexOf('namespace');
