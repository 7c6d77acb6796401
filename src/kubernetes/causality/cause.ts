// Resolves which message a message follows from, by an ordered list of sources.

import type { ExchangeContext } from '../exchange-context.js';
import type { Draft } from '../messages/draft.js';

/**
 * A cause that a response still to come may tell.
 * @param deadlinePassed the message waits no longer.
 * @returns `seq` of the cause; null: there is none; undefined: not known yet, never with `deadlinePassed`.
 */
export type PendingCause = (deadlinePassed: boolean) => number | null | undefined;

/** One kind of cause: a new kind is a new row of the interpreter's list. */
export interface CauseSource {
  /** @returns `seq` of the cause, or how it will be known; null: this source has none. */
  causeOf(message: Draft, context: ExchangeContext): number | PendingCause | null;
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

function resolution(message: Draft, cause: number | PendingCause): Resolution | null {
  const resolve = (seq: number | null): void => {
    message.causedBy = seq ?? undefined;
  };
  if (typeof cause !== 'number')
    return (deadlinePassed) => {
      const seq = cause(deadlinePassed);
      if (seq !== undefined) resolve(seq);
      return seq !== undefined || deadlinePassed;
    };
  resolve(cause);
  return null;
}

/** A response, and what is sent on an exchange besides its watch events, follows from the request. */
export const REQUEST_OF_EXCHANGE: CauseSource = {
  causeOf: ({ kind }, { requestSeq }) => (kind === 'response' || kind === 'data' ? (requestSeq ?? null) : null),
};

/** A request that a server forwarded follows from the original request. */
export const FORWARDED_REQUEST: CauseSource = {
  causeOf: ({ kind }, { forwardedFrom }) => (kind === 'request' ? (forwardedFrom ?? null) : null),
};
