// Gives the trigger of a request as its cause: which delivery, and how sure that is.

import type { Cause } from '../messages/message.js';
import type { Delivery } from './deliveries.js';
import { MAX_OTHERS, type Trigger } from './turns.js';

/** A delivery as the trigger of a request. */
export interface TriggerCause {
  readonly delivery: Delivery;
  readonly cause: Cause;
}

/** A delivery of which it is not known what else can have been the trigger. */
export function uncertainCause(delivery: Delivery | undefined): TriggerCause | undefined {
  return delivery && { delivery, cause: { seq: delivery.seq, how: 'notification', certain: false } };
}

/** @param isCertain the request cannot have another trigger than its turn has. */
export function causeByTrigger(trigger: Trigger | undefined, isCertain: boolean): TriggerCause | undefined {
  if (trigger === undefined) return undefined;
  const { delivery, isRequeue, others } = trigger;
  const how = isRequeue ? 'requeue' : 'notification';
  const cause: Cause = { seq: delivery.seq, how, certain: isCertain && trigger.isCertain };
  return { delivery, cause: others.length === 0 ? cause : { ...cause, others } };
}

/**
 * The trigger of a client whose work queue is not in the table.
 * @param considered the deliveries that it can be. @param last the client's trigger before, for the same object.
 * @param isModelled all deliveries that trigger the client are considered.
 */
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
