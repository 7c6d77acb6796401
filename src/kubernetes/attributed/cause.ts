// Computes which message a message follows from.

import type { Draft } from '../messages/draft.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import type { Cause, PendingCause, Resolution } from '../messages/message.js';
import type { CausalityTracker } from './causality.js';
import type { Watches } from './watches.js';

export class Causes {
  readonly #watches: Watches;
  readonly #causality: CausalityTracker;

  constructor(watches: Watches, causality: CausalityTracker) {
    this.#watches = watches;
    this.#causality = causality;
  }

  /** Sets what a message follows from, once everything has observed it. @returns what it waits for; null: nothing. */
  of(message: Draft, context: ExchangeContext): Resolution | null {
    const { kind } = message;
    const { requestSeq } = context;
    // What is sent on an exchange besides its watch events follows from its request.
    if (kind === 'response' || kind === 'data')
      return requestSeq === undefined ? null : settles(message, { seq: requestSeq, how: 'response', certain: true });
    const ofRequest = kind === 'request' ? (context.cause ?? this.#watches.causeOf(message, context)) : null;
    return settles(message, ofRequest ?? this.#causality.causeOf(message, context));
  }
}

/** @returns what the message waits for; null: nothing. */
export function settles(message: Draft, cause: Cause | PendingCause | null): Resolution | null {
  if (typeof cause !== 'function') {
    if (cause !== null) set(message, cause);
    return null;
  }
  return (deadlinePassed) => {
    const found = cause(deadlinePassed);
    if (found !== undefined) set(message, found);
    return found !== undefined || deadlinePassed;
  };
}

function set(message: Draft, cause: Cause | null): void {
  message.causedBy = cause?.seq;
  message.cause = cause ?? undefined;
}
