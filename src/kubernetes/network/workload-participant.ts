// Participants that are known by their address: a Pod, a Service, or nobody yet. Knows names, not how an address was
// learnt.

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

  learn(how: string): void {
    if (this.evidence.length < MAX_EVIDENCE && !this.evidence.includes(how)) this.evidence.push(how);
  }
}

/** Whoever is at an address: as its words or its address name it, until an object tells whose the address is. */
export class AddressParticipant extends DeferredParticipant {
  #is: Participant;

  /** @param since ns of the capture: the first message from or to it. */
  constructor(
    first: Participant,
    readonly since: bigint,
  ) {
    super();
    this.#is = first;
  }

  resolveTo(place: WorkloadParticipant): void {
    this.#is = place;
  }

  protected get is(): Participant {
    return this.#is;
  }
}

/** As of every participant. */
const MAX_EVIDENCE = 8;
