// A write correlator that also selects triggers, over one set of objects.

import type { ObjectRef } from '../../src/kubernetes/api/object-ref.js';
import type { Delivery } from '../../src/kubernetes/causality/deliveries.js';
import { ObjectStates } from '../../src/kubernetes/causality/object-states.js';
import type { TriggerQuery } from '../../src/kubernetes/causality/trigger-query.js';
import { selectTrigger } from '../../src/kubernetes/causality/trigger-selection.js';
import { WriteCorrelator } from '../../src/kubernetes/causality/write-correlation.js';

export class ObservedCauses extends WriteCorrelator {
  readonly #states: ObjectStates;

  constructor(states = new ObjectStates()) {
    super(states);
    this.#states = states;
  }

  triggerFor(object: ObjectRef, client: TriggerQuery): Delivery | undefined {
    return selectTrigger(this.#states, object, client)?.delivery;
  }
}
