// Represents participants that are identified by their address: a Pod, a Service, or one that is resolved later.

import { componentNamed } from '../identity/components.js';
import { DeferredParticipant } from '../identity/deferred-participant.js';
import type { Participant, Tier } from '../messages/message.js';
import type { NamedWorkload } from './address-claims.js';
import { type PlaceKind, placeName } from './place-name.js';

/** A Pod or a Service. */
export class WorkloadParticipant implements Participant {
  readonly name: string;
  readonly evidence: string[] = [];
  readonly tier: Tier = 'others';
  readonly perNode = false;

  constructor(
    readonly id: number,
    readonly component: PlaceKind,
    object: NamedWorkload,
  ) {
    this.name = placeName(component, object);
  }

  get shortId(): string | null {
    return componentNamed(this.component)?.id ?? null;
  }

  get process(): Participant {
    return this;
  }

  addEvidence(evidence: string): void {
    if (this.evidence.length < MAX_EVIDENCE && !this.evidence.includes(evidence)) this.evidence.push(evidence);
  }
}

/** A participant at an address: named by its requests or its address until an object claims the address. */
export class AddressParticipant extends DeferredParticipant {
  #target: Participant;

  /** @param since ns of the capture: the first message from or to it. */
  constructor(
    first: Participant,
    readonly since: bigint,
  ) {
    super();
    this.#target = first;
  }

  resolveTo(place: WorkloadParticipant): void {
    this.#target = place;
  }

  protected get is(): Participant {
    return this.#target;
  }
}

/** As of every participant. */
const MAX_EVIDENCE = 8;
