// Which request a response answers on one HTTP/1 connection. Knows the order of heads and losses, no bytes.
//
// Responses come in the order of their requests, so without losses the oldest unanswered request is the one. After a loss
// the order of capture decides, as far as it proves anything: a client that does not pipeline sends a request only when
// it has the response to the one before, and no response comes before its request. What that does not prove gets no
// request: a wrong pair is worse than none.

import { compareOrigins, type Origin } from '../core/origin.js';
import type { RequestHead } from './http-event.js';

/** Requests of one connection that may wait for their responses; with one direction captured, none ever gets one. */
export const MAX_WAITING = 1024;

export interface WaitingRequest {
  /** Ordinal of its exchange on the connection, from 1. */
  readonly ordinal: number;
  readonly head: RequestHead;
  /** Frame of the last byte of its head. */
  readonly last: Origin;
  /** Losses of the server's direction that had been seen when it was sent. */
  readonly lossesBefore: number;
}

export class Http1Pairing {
  /** In order of sending. */
  readonly waiting: WaitingRequest[] = [];
  #ordinals = 0;
  #serverLosses = 0;
  #clientLosses = 0;
  /** `#clientLosses` when the newest request was seen. */
  #lossesAtRequest = 0;
  /** A request was sent while another had no response. */
  #pipelines = false;
  /** After a loss on a connection that pipelines nothing can be proven any more. */
  #undecidable = false;

  /** A request's head is complete; `last` is the frame of its last byte. */
  request(head: RequestHead, last: Origin): WaitingRequest {
    const oldest = this.waiting[0];
    if (oldest !== undefined && oldest.lossesBefore === this.#serverLosses) this.#pipelines = true;
    const request = { ordinal: this.newOrdinal(), head, last, lossesBefore: this.#serverLosses };
    this.waiting.push(request);
    this.#lossesAtRequest = this.#clientLosses;
    return request;
  }

  /**
   * A response's head is complete (1xx but 101 do not count).
   *
   * @param first frame of its first byte.
   * @param unanswered gets the requests that can have no response any more.
   * @returns the request that it answers, no longer waiting; null if that cannot be told.
   */
  response(first: Origin, unanswered: WaitingRequest[]): WaitingRequest | null {
    const waiting = this.waiting;
    if (this.#clientLosses + this.#serverLosses > 0) this.#dropDoubtful(unanswered);
    if (waiting.length === 0 || this.#cameBefore(first, waiting[0])) return null;
    return waiting.shift()!;
  }

  // A request that was sent before bytes of the server were lost: its response may be among them, and the next one that is
  // seen may answer it or a request that was lost as well.
  #dropDoubtful(unanswered: WaitingRequest[]): void {
    const waiting = this.waiting;
    let doubtful = 0;
    while (doubtful < waiting.length && (this.#undecidable || waiting[doubtful].lossesBefore < this.#serverLosses))
      doubtful += 1;
    if (doubtful > 0) unanswered.push(...waiting.splice(0, doubtful));
  }

  // Segments that waited behind a loss are told late: they may be older than a request that was told before them.
  #cameBefore(first: Origin, request: WaitingRequest): boolean {
    return this.#clientLosses + this.#serverLosses > 0 && compareOrigins(first, request.last) < 0;
  }

  /** Requests (`client`) or responses (`server`) may be missing from here on. */
  lost(from: 'client' | 'server'): void {
    if (from === 'server') this.#serverLosses += 1;
    else this.#clientLosses += 1;
    if (this.#pipelines) this.#undecidable = true;
  }

  /** Nothing was asked since the last response that has one, as far as the capture shows. */
  get quiet(): boolean {
    return this.waiting.length === 0 && this.#clientLosses === this.#lossesAtRequest;
  }

  newOrdinal(): number {
    this.#ordinals += 1;
    return this.#ordinals;
  }
}
