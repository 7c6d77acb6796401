// Resolves which message a message follows from, by an ordered list of sources.

import type { ExchangeContext } from '../exchange-context.js';
import type { Draft } from '../messages/draft.js';
import type { Cause } from '../messages/message.js';

/**
 * A cause that a response still to come may tell.
 * @param deadlinePassed the message waits no longer.
 * @returns null: there is none; undefined: not known yet, never with `deadlinePassed`.
 */
export type PendingCause = (deadlinePassed: boolean) => Cause | null | undefined;

/** One kind of cause: a new kind is a new row of the interpreter's list. */
export interface CauseSource {
  /** @returns the cause, or how it will be known; null: this source has none. */
  causeOf(message: Draft, context: ExchangeContext): Cause | PendingCause | null;
}

/** Tries to complete a message: false while something still to come may do so, unless `deadlinePassed`. */
export type Resolution = (deadlinePassed: boolean) => boolean;

/** @returns what the message waits for; null: nothing. */
export type ResolveCause = (message: Draft, context: ExchangeContext) => Resolution | null;

/** @param sources the first that knows a cause counts. */
export function causeResolver(sources: readonly CauseSource[]): ResolveCause {
  return (message, context) => {
    for (const source of sources) {
      const cause = source.causeOf(message, context);
      if (cause !== null) return resolution(message, cause);
    }
    return null;
  };
}

function resolution(message: Draft, cause: Cause | PendingCause): Resolution | null {
  if (typeof cause !== 'function') {
    resolve(message, cause);
    return null;
  }
  return (deadlinePassed) => {
    const found = cause(deadlinePassed);
    if (found !== undefined) resolve(message, found);
    return found !== undefined || deadlinePassed;
  };
}

function resolve(message: Draft, cause: Cause | null): void {
  message.causedBy = cause?.seq;
  message.cause = cause ?? undefined;
}

/** A response, and what is sent on an exchange besides its watch events, follows from the request. */
export const REQUEST_OF_EXCHANGE: CauseSource = {
  causeOf: ({ kind }, { requestSeq }) =>
    requestSeq !== undefined && (kind === 'response' || kind === 'data')
      ? { seq: requestSeq, how: 'response', certain: true }
      : null,
};

/** A request that a server forwarded follows from the original request. */
export const FORWARDED_REQUEST: CauseSource = {
  causeOf: ({ kind }, { forwardedFrom }) =>
    kind === 'request' && forwardedFrom !== undefined ? { seq: forwardedFrom, how: 'forwarded', certain: false } : null,
};
