// Turns the trigger of a request into its cause: the delivery, whether that is certain, and the others that are possible.

import type { Cause } from '../messages/message.js';
import type { Triggers } from './controllers.js';
import type { Delivery } from './deliveries.js';
import type { SelectedTrigger } from './trigger-selection.js';
import { MAX_OTHERS, PAUSE_MS, SETTLED_MS, type Trigger, type Turn } from './turns.js';

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

/**
 * The trigger of a client whose work queue is not in the table. Where it is not known what else triggers the client, as the timers of
 * an operator, only a request at once is certain.
 * @param last the client's last turn for the object. @param triggers of the client; `deliveries`: all of them are in `possible`.
 * @param time ms since the epoch: of the request.
 */
export function triggerAmong(
  { delivery, possible }: SelectedTrigger,
  last: Turn | undefined,
  triggers: Triggers,
  time: number,
): Trigger {
  const before = last?.trigger;
  const since = before?.delivery.seq ?? 0;
  const others = [...new Set(possible)].filter((one) => one !== delivery && one.seq > since).map(({ seq }) => seq);
  const isSame = before?.delivery === delivery;
  const isKnown = before !== undefined || delivery.transition === 'added';
  // The worker may still be in the turn before.
  if (last !== undefined && before !== undefined && !isSame && goesOn(last, delivery, time))
    others.unshift(before.delivery.seq);
  const idleSince = isSame ? Math.max(last?.answeredAt ?? 0, delivery.time) : delivery.time;
  const isByDelivery = triggers === 'deliveries' || (triggers === 'unknown' && time - idleSince < SETTLED_MS);
  return {
    delivery,
    isRequeue: false,
    isCertain: isByDelivery && others.length === 0 && (isSame ? before.isCertain : isKnown),
    others: others.slice(-MAX_OTHERS),
  };
}

function goesOn({ open, answeredAt }: Turn, { time: deliveredAt }: Delivery, time: number): boolean {
  return open > 0 || (deliveredAt <= answeredAt && time - answeredAt < PAUSE_MS);
}
