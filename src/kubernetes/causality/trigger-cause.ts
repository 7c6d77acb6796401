// Gives the trigger of a request as its cause: which delivery, and how sure that is.

import type { Cause } from '../messages/message.js';
import type { Delivery } from './deliveries.js';
import { MAX_OTHERS, type TakenTurn, type Trigger, type Turn } from './turns.js';

/** A delivery as the trigger of a request. */
export interface TriggerCause {
  readonly delivery: Delivery;
  readonly cause: Cause;
}

export function asCause(delivery: Delivery | undefined): TriggerCause | undefined {
  return delivery && { delivery, cause: { seq: delivery.seq, how: 'notification', certain: false } };
}

export function ofTurn({
  turn,
  isCertain,
}: Pick<TakenTurn, 'isCertain'> & { turn: Pick<Turn, 'trigger'> }): TriggerCause | undefined {
  if (turn.trigger === undefined) return undefined;
  const { delivery, isRequeue, isCertain: isOnly, others } = turn.trigger;
  const certain = isCertain && isOnly;
  const cause: Cause = { seq: delivery.seq, how: isRequeue ? 'requeue' : 'notification', certain };
  return { delivery, cause: others.length === 0 ? cause : { ...cause, others } };
}

/** The trigger of a client whose queue is not known. @param considered what it can have been. @param last the one before. */
export function triggerAmong(
  delivery: Delivery,
  considered: readonly Delivery[],
  last: Trigger | undefined,
  isModelled: boolean,
): Trigger {
  const since = last?.delivery.seq ?? 0;
  const others = [...new Set(considered)].filter((one) => one !== delivery && one.seq > since).map(({ seq }) => seq);
  const isSame = last?.delivery === delivery;
  const isKnown = last !== undefined || delivery.transition === 'added';
  return {
    delivery,
    isRequeue: false,
    isCertain: isModelled && others.length === 0 && (isSame ? last.isCertain : isKnown),
    others: others.slice(-MAX_OTHERS),
  };
}
