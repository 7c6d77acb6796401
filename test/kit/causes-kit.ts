// A write correlator that also tells what wakes a client whose keys are the objects themselves, over one set of objects.

import type { ObjectRef } from '../../src/kubernetes/api/object-ref.js';
import { OWN_KEYS, type WorkQueue } from '../../src/kubernetes/attributed/controller-table.js';
import type { Delivery } from '../../src/kubernetes/attributed/deliveries.js';
import { ObjectStates } from '../../src/kubernetes/attributed/object-states.js';
import type { TriggerQuery } from '../../src/kubernetes/attributed/trigger-query.js';
import { WorkQueues } from '../../src/kubernetes/attributed/work-queues.js';
import { WriteCorrelator } from '../../src/kubernetes/attributed/write-correlation.js';

export class ObservedCauses extends WriteCorrelator {
  readonly queues: WorkQueues;

  constructor(states = new ObjectStates()) {
    super(states);
    this.queues = new WorkQueues(states);
  }

  triggerFor(object: ObjectRef, client: TriggerQuery, queue: WorkQueue = OWN_KEYS): Delivery | undefined {
    return this.queues.newest(object, client, queue);
  }
}
