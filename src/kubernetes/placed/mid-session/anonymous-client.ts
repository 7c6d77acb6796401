// The client of one connection whose User-Agent is not in the capture, until it is identified by what it does. Where an API server
// forwards for many clients over the connection, one client's name is not that of the others.

import { ParticipantRecord } from '../../participants/participant-record.js';
import { isForeign } from '../hops/aggregation.js';

export class AnonymousClient {
  readonly record: ParticipantRecord;
  #found: ParticipantRecord | null = null;
  /** Two programs send over the connection: one forwards for many. */
  #isShared = false;
  #isRelay = false;
  /** It requests what aggregated API servers may serve: whether the server is known to be an ordinary API server. */
  #isOrdinary: (() => boolean) | null = null;

  /** @param id that no other participant has. @param frame in which the connection was first seen. */
  constructor(id: number, address: string, frame: number) {
    const claim = 'was connected before the capture and did not send its name';
    this.record = new ParticipantRecord(id, `client ${address}`, address, { claim, strength: 'address', frame });
    this.record.isMidSession = true;
    this.record.resolveBy(() => this.#certain);
  }

  /**
   * Learns the participant; a second, different one undoes the first.
   * @param isRelay the participant forwards for others, and is not one of these.
   */
  learn(found: ParticipantRecord, isRelay = false): void {
    if (this.#isShared) return;
    this.#isRelay ||= isRelay;
    if (this.#found !== null && this.#found.process !== found.process) {
      this.#isShared = true;
      this.#found = null;
    } else {
      this.#found = found.perNode ? found : found.process;
      this.#found.process.wasKnownAs(this.record);
    }
  }

  /** A request was seen. @param target null: it could not be read. @param isOrdinary whether its server is an API server of its own, as far as is known by then. */
  observeRequest(target: string | null, isOrdinary: () => boolean): void {
    if (this.#isOrdinary === null && isForeign(target)) this.#isOrdinary = isOrdinary;
  }

  /** It is one of several components that are one process: which of them may still be found out. */
  belongsToProcess(process: ParticipantRecord): void {
    this.record.link(process, 'likely');
  }

  /** Waiting longer may identify the client. */
  get open(): boolean {
    return this.#certain === null && !this.#isShared;
  }

  /** Many programs may send over it: what one of them received triggers no other. */
  get mayBeShared(): boolean {
    return !this.#isRelay && (this.#isShared || (this.#isOrdinary !== null && !this.#isOrdinary()));
  }

  get #certain(): ParticipantRecord | null {
    return this.mayBeShared ? null : this.#found;
  }
}
