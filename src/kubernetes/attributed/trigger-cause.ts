// Turns the trigger of a request into its cause: the delivery, whether that is certain, and the others that are possible.

import type { Cause } from '../messages/message.js';
import type { Delivery } from './deliveries.js';
import type { Trigger } from './turns.js';

/** A delivery as the trigger of a request. */
export interface TriggerCause {
  readonly delivery: Delivery;
  readonly cause: Cause;
}

/** The cause where it is not known which other deliveries can be the trigger. */
export function uncertainCause(delivery: Delivery | undefined): TriggerCause | undefined {
  return delivery && { delivery, cause: { seq: delivery.seq, how: 'notification', certain: false } };
}

/** The cause of a request in a turn. @param isCertain the request cannot belong to another turn. */
export function causeByTrigger(trigger: Trigger | undefined, isCertain: boolean): TriggerCause | undefined {
  if (trigger === undefined) return undefined;
  const { delivery, isRequeue, others } = trigger;
  const how = isRequeue ? 'requeue' : 'notification';
  const cause: Cause = { seq: delivery.seq, how, certain: isCertain && trigger.isCertain };
  return { delivery, cause: others.length === 0 ? cause : { ...cause, others } };
}
