// Which request a response answers on one HTTP/1 connection. Knows the order of heads and losses, no bytes.
//
// Responses come in the order of their requests, so without losses the oldest unanswered request is the one. After a loss
// the order of capture decides, as far as it proves anything: a client that does not pipeline sends a request only when
// it has the response to the one before. What it does not prove gets no request: a wrong pair is worse than none.

import type { RequestHead } from './http-event.js';

/** Requests of one connection that may wait for their responses; with one direction captured, none ever gets one. */
export const MAX_WAITING = 1024;

export interface WaitingRequest {
  /** Ordinal of its exchange on the connection, from 1. */
  readonly ordinal: number;
  readonly head: RequestHead;
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

  /** A request's head is complete. */
  request(head: RequestHead): WaitingRequest {
    const oldest = this.waiting[0];
    if (oldest !== undefined && oldest.lossesBefore === this.#serverLosses) this.#pipelines = true;
    const request = { ordinal: this.newOrdinal(), head, lossesBefore: this.#serverLosses };
    this.waiting.push(request);
    this.#lossesAtRequest = this.#clientLosses;
    return request;
  }

  /**
   * A response's head is complete (1xx but 101 do not count).
   *
   * @param unanswered gets the requests that can have no response any more.
   * @returns the request that it answers, no longer waiting; null if that cannot be told.
   */
  response(unanswered: WaitingRequest[]): WaitingRequest | null {
    const waiting = this.waiting;
    if (waiting.length === 0) return null;
    if (this.#undecidable) {
      unanswered.push(...waiting.splice(0));
      return null;
    }
    if (waiting[0].lossesBefore === this.#serverLosses) return waiting.shift()!;
    // The oldest request was sent before bytes of the server were lost: its response may be among them.
    if (waiting.length === 1) return waiting.shift()!;
    if (this.#pipelines) {
      this.#undecidable = true;
      unanswered.push(...waiting.splice(0));
      return null;
    }
    // The first request after the loss; if there is none, the newest: the others had their responses in the loss.
    let answered = waiting.findIndex((request) => request.lossesBefore === this.#serverLosses);
    if (answered < 0) answered = waiting.length - 1;
    unanswered.push(...waiting.splice(0, answered));
    return waiting.shift()!;
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
