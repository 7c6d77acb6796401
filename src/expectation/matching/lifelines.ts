// Says whose lifeline is read from top to bottom: a client that people run waits for an answer before it goes on, so what
// stands below an answer that it received comes after it (contract.md "What an expectation means", rule 4). Components,
// controllers and other programs with a service account work on many things at once; on their lifelines this holds where the
// expectation says `%% order: strict`.

import { isPerson, isTool } from '../../diagram/selection/noise.js';
import type { Participant } from '../../kubernetes/messages/message.js';
import type { ObservationIndex } from './observation-index.js';

export class Lifelines {
  readonly #observation: ObservationIndex;
  readonly #isStrict: boolean;

  /** @param isStrict every lifeline is read from top to bottom. */
  constructor(observation: ObservationIndex, isStrict: boolean) {
    this.#observation = observation;
    this.#isStrict = isStrict;
  }

  /** Is it an answer that whoever received it waited for? */
  isAwaited(place: number): boolean {
    const { kind, to } = this.#observation.messages[place];
    return kind === 'response' && this.#waits(to);
  }

  /** Does its sender send it only when the answers above on its lifeline are there? */
  waitsToSend(place: number): boolean {
    return this.#waits(this.#observation.messages[place].from);
  }

  /**
   * Does its receiver get it only after the answers above on its lifeline? The answers to several requests that wait at the
   * same time may come either way.
   *
   * @param isRequested its request stands above in the diagram, below every answer that was waited for until then.
   */
  waitsToReceive(place: number, isRequested: boolean): boolean {
    const { kind, to } = this.#observation.messages[place];
    return !(kind === 'response' && isRequested) && this.#waits(to);
  }

  #waits(participant: Participant): boolean {
    if (this.#isStrict) return true;
    return isPerson(participant) && (isTool(participant) || !this.#observation.asksAsServiceAccount(participant));
  }
}
