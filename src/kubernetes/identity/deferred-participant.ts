// A speaker that is another one, as far as is known: what is asked of it, that one answers. Who that is may change as evidence
// grows; messages keep the stand-in. Knows no evidence.

import type { Participant, Tier } from '../messages/message.js';

export abstract class DeferredParticipant implements Participant {
  /** Who it is now. */
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
