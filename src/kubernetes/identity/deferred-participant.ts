// A participant that stands for another one, which may change as evidence grows; messages keep the deferred participant.

import type { Participant, Tier } from '../messages/message.js';

export abstract class DeferredParticipant implements Participant {
  /** The participant that it stands for now. */
  protected abstract get is(): Participant;

  get id(): number {
    return this.is.id;
  }

  get component(): string {
    return this.is.component;
  }

  get name(): string {
    return this.is.name;
  }

  get tier(): Tier {
    return this.is.tier;
  }

  get shortId(): string | null {
    return this.is.shortId;
  }

  get perNode(): boolean {
    return this.is.perNode;
  }

  get process(): Participant {
    return this.is.process;
  }

  get evidence(): readonly string[] {
    return this.is.evidence;
  }
}
