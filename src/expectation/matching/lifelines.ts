// Decides which participants wait for a response before they send on (contract.md "What an expectation means", rule
// 4): clients that people run, and every participant under `%% order: strict`.

import { isPerson, isTool } from '../../diagram/selection/noise.js';
import type { Participant } from '../../kubernetes/messages/message.js';
import type { ObservationIndex } from './observation-index.js';

export class Lifelines {
  readonly #observation: ObservationIndex;
  readonly #isStrict: boolean;

  /** @param isStrict every participant waits for its responses. */
  constructor(observation: ObservationIndex, isStrict: boolean) {
    this.#observation = observation;
    this.#isStrict = isStrict;
  }

  /** Is the message a response that its receiver waited for? */
  isAwaited(place: number): boolean {
    const { kind, to } = this.#observation.messages[place];
    return kind === 'response' && this.#waits(to);
  }

  /** Does the sender wait for the responses above on its lifeline before it sends the message? */
  waitsToSend(place: number): boolean {
    return this.#waits(this.#observation.messages[place].from);
  }

  /**
   * Does the message arrive after the responses above on its receiver's lifeline? Responses to concurrent requests may
   * arrive in any order.
   *
   * @param isRequested its request stands above in the diagram, below every response awaited until then.
   */
  waitsToReceive(place: number, isRequested: boolean): boolean {
    const { kind, to } = this.#observation.messages[place];
    return !(kind === 'response' && isRequested) && this.#waits(to);
  }

  #waits(participant: Participant): boolean {
    if (this.#isStrict) return true;
    return isPerson(participant) && (isTool(participant) || !this.#observation.usesServiceAccount(participant));
  }
}
