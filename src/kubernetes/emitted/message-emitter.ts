// Numbers messages, holds each until its cause is known, and emits it redacted, with the participants' names as they are known then.

import { Fifo } from '../../core/collections/fifo.js';
import type { Notice } from '../../core/notice.js';
import { shownParticipant } from '../../redaction/names.js';
import type { Redaction } from '../../redaction/redaction.js';
import { type BodyPart, type Draft, draftMessage, type MessageSource } from '../messages/draft.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import type { Message, MessageKind, Participant, TranslatedCopy } from '../messages/message.js';
import { detailsOf } from './details.js';
import { shownMessage } from './shown-message.js';

export class MessageEmitter {
  /** Where else the event at hand was seen, under other addresses; null: nowhere. */
  copies: readonly TranslatedCopy[] | null = null;

  readonly #queue = new HoldQueue<Draft | Notice>();
  readonly #holdNs: bigint;
  readonly #redaction: Redaction;
  readonly #bodies: boolean;
  #seq = 0;

  /**
   * @param holdNs how long, in ns of capture time, a message may be held; 0 when live.
   * @param redaction no text leaves without it. @param bodies messages keep their heads and bodies.
   */
  constructor(holdNs: bigint, redaction: Redaction, bodies: boolean) {
    this.#holdNs = holdNs;
    this.#redaction = redaction;
    this.#bodies = bodies;
  }

  /** The next message; its builder fills it before or after `emit`. */
  draft(
    kind: MessageKind,
    event: BodyPart | MessageSource,
    context: ExchangeContext,
    from: Participant,
    to: Participant,
  ): Draft {
    this.#seq += 1;
    const draft = draftMessage(this.#seq, kind, event, context, from, to);
    // The list grows where copies come later than they can be waited for.
    if (this.copies !== null) draft.translated = this.copies;
    if (this.#bodies && 'kind' in event) draft.details = detailsOf(event, context, draft, this.#redaction);
    return draft;
  }

  /** @param settle tries to complete the message, see HoldQueue; null: it is complete. */
  emit(message: Draft, settle: ((final: boolean) => boolean) | null = null): void {
    this.#queue.push(message, settle === null ? 0n : message.time + this.#holdNs, settle);
  }

  /** A notice keeps its place among the messages. */
  emitNotice(notice: Notice): void {
    this.#queue.push(notice, 0n, null);
  }

  /** What need not wait any longer. @param now ns of capture time. */
  release(now: bigint): readonly (Message | Notice)[] {
    return this.#shown(this.#queue.release(now));
  }

  releaseAll(): readonly (Message | Notice)[] {
    return this.#shown(this.#queue.releaseAll());
  }

  /** @param items which become what is shown, in their places. */
  #shown(items: readonly (Draft | Notice)[]): readonly (Message | Notice)[] {
    for (const item of items) if (item.kind !== 'notice') shownMessage(named(item), this.#redaction);
    return items as readonly (Message | Notice)[];
  }
}

/** Names as they are known now, so that a line does not depend on when it is printed. */
function named(draft: Draft): Draft {
  draft.fromName = shownParticipant(draft.from.name);
  draft.toName = shownParticipant(draft.to.name);
  if (draft.via !== undefined) draft.viaNames = draft.via.map((one) => shownParticipant(one.name));
  return draft;
}

interface HeldItem<T> {
  readonly item: T;
  readonly until: bigint;
  readonly settle: ((final: boolean) => boolean) | null;
}

/** @typeParam T what is held. */
export class HoldQueue<T> {
  /** What has nothing in front of it that waits. */
  #ready: T[] = [];
  readonly #entries = new Fifo<HeldItem<T>>();

  /**
   * @param settle tries to complete the item, and returns whether it is complete; with `final` for the last time. null: it is complete.
   * @param until ns of capture time after which no more is waited for.
   */
  push(item: T, until: bigint, settle: ((final: boolean) => boolean) | null): void {
    if (settle === null && this.#entries.length === 0) this.#ready.push(item);
    else this.#entries.push({ item, until, settle });
  }

  /** What need not wait any longer at `now`, in the order of `push`. */
  release(now: bigint): readonly T[] {
    if (this.#entries.length > 0) this.#settle(now);
    const ready = this.#ready;
    if (ready.length === 0) return ready;
    this.#ready = [];
    return ready;
  }

  releaseAll(): readonly T[] {
    for (const { item, settle } of this.#entries.take(this.#entries.length)) {
      settle?.(true);
      this.#ready.push(item);
    }
    return this.#ready;
  }

  #settle(now: bigint): void {
    const entries = this.#entries;
    let ready = 0;
    while (ready < entries.length) {
      const { settle, until } = entries.at(ready);
      const final = until <= now || entries.length - ready > MAX_HELD;
      if (settle !== null && !settle(final) && !final) break;
      ready += 1;
    }
    if (ready > 0) for (const { item } of entries.take(ready)) this.#ready.push(item);
  }
}

/** Limit: messages behind one that waits: a second of a busy API server. */
const MAX_HELD = 10_000;
