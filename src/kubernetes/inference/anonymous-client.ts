// The client of one connection whose User-Agent is not in the capture, until it is identified by what it does. Where an API server
// forwards for many clients over the connection, one client's name is not that of the others.

import { isForeign } from '../hops/aggregation.js';
import { DeferredParticipant } from '../identity/deferred-participant.js';
import type { Participant } from '../messages/message.js';

export class AnonymousClient extends DeferredParticipant {
  /** As in the capture. */
  readonly address: string;
  #nobody: Participant;
  #found: Participant | null = null;
  /** Two programs were heard on the connection: something forwards for many. */
  #isShared = false;
  #isRelay = false;
  /** It asks for what others may serve: whether the server is known to be an API server of its own. */
  #isOrdinary: (() => boolean) | null = null;

  /** @param id that no other speaker has. @param frame in which the connection was first seen. */
  constructor(id: number, address: string, frame: number) {
    super();
    this.address = address;
    const name = `client ${address}`;
    const evidence = [`was connected before the capture and did not say its name (frame ${frame})`];
    // What was connected before the capture is rarely a person.
    const known = { tier: 'others', shortId: null, perNode: false } as const;
    this.#nobody = { id, component: name, name, ...known, process: this, evidence };
  }

  /**
   * Takes what was found out; a second, different finding undoes the first.
   * @param isRelay it is who hands on what others ask, not one of these.
   */
  learn(found: Participant, isRelay = false): void {
    if (this.#isShared) return;
    this.#isRelay ||= isRelay;
    if (this.#found !== null && this.#found.process !== found.process) {
      this.#isShared = true;
      this.#found = null;
    } else this.#found = found.perNode ? found : found.process;
  }

  /** A request was seen. @param target null: it could not be read. @param isOrdinary whether its server is an API server of its own, as far as is known by then. */
  asks(target: string | null, isOrdinary: () => boolean): void {
    if (this.#isOrdinary === null && isForeign(target)) this.#isOrdinary = isOrdinary;
  }

  /** It is one of several components that are one process: which of them may still be found out. */
  belongsToProcess(process: Participant): void {
    this.#nobody = process;
  }

  /** It is told who this is, by other evidence than its own words in the message. */
  get concluded(): boolean {
    return this.#certain !== null;
  }

  /** Waiting longer may tell who this is. */
  get open(): boolean {
    return this.#certain === null && !this.#isShared;
  }

  /** Many may ask over it: what one of them heard wakes no other. */
  get mayBeShared(): boolean {
    return !this.#isRelay && (this.#isShared || (this.#isOrdinary !== null && !this.#isOrdinary()));
  }

  protected get is(): Participant {
    return this.#certain ?? this.#nobody;
  }

  get #certain(): Participant | null {
    return this.mayBeShared ? null : this.#found;
  }
}
