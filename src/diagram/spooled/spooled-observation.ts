// An observation of more messages than fit into memory: they go into a spool, and only those that a diagram is made of come back.

import type { Notice } from '../../core/notice.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { MessageSpool } from '../../spool/message-spool.js';
import type { SpoolStorage } from '../../spool/spool-storage.js';
import type { Observation } from '../message-index.js';
import { DEFAULT_LAYERS, type DiagramOptions } from '../selection/visibility.js';
import { NeededMessages } from './needed-messages.js';
import { RemainderObserver } from './remainder-observer.js';

export class SpooledObservation {
  readonly #options: DiagramOptions;
  readonly #spool: MessageSpool;
  readonly #observer: RemainderObserver;

  /** @param options of the diagram, without the user's selection. */
  constructor(storage: SpoolStorage, options: DiagramOptions) {
    const { follow, layers = DEFAULT_LAYERS } = options;
    this.#options = options;
    this.#spool = new MessageSpool(storage);
    this.#observer = new RemainderObserver(layers, follow !== undefined);
  }

  /** @param message its head and body are not kept. */
  add(message: Message): void {
    this.#spool.add(message, this.#observer.observe(message));
  }

  /** After the last message. @param isSelected by `seq`: by the user. */
  observation(notices: readonly Notice[], isSelected: (seq: number) => boolean = isAny): Observation {
    const messages = new NeededMessages(this.#spool, this.#observer, this.#options).find(isSelected);
    const kept = new Set(messages.map(({ seq }) => seq));
    const remainder = this.#observer.remainder(this.#spool, (seq) => kept.has(seq), isSelected);
    return { messages, notices, remainder };
  }
}

function isAny(): boolean {
  return true;
}
