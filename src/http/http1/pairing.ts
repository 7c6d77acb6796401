// Pairs responses with their requests on one HTTP/1 connection.
//
// Responses have the order of their requests, so without losses a response belongs to the oldest unanswered request. After a loss the order
// of capture decides: a client that does not pipeline sends a request only after the response to the one before, and no response precedes
// its request. A response without proof gets no request, because a wrong pair is worse than none.

import { compareFrames, type Origin } from '../../core/origin.js';
import type { RequestHead } from '../http-event.js';

/** Limit: pipelined requests of a connection that wait for their responses; if only one direction was captured, none ever gets one. */
export const MAX_WAITING = 1024;

export interface WaitingRequest {
  /** Ordinal of its exchange on the connection, from 1. */
  readonly ordinal: number;
  readonly head: RequestHead;
  /** Frame of the last byte of its head. */
  readonly last: Origin;
}

export class Http1Pairing {
  /** In order of sending; the shared NONE without waiting requests. */
  waiting: WaitingRequest[] = NONE;
  #ordinals = 0;
  /** The frame that acknowledged the latest lost responses. */
  #serverLoss: Origin | null = null;
  #clientLosses = 0;
  /** `#clientLosses` at the newest request. */
  #lossesAtRequest = 0;
  /** A request was sent while another had no response. */
  #pipelines = false;
  /** After a loss on a connection that pipelines, pairs cannot be proven any more. */
  #undecidable = false;

  /** Adds a request. @param last frame of the last byte of its head. */
  request(head: RequestHead, last: Origin): WaitingRequest {
    // After a loss, requests that were sent one by one may be read together.
    if (this.waiting.length > 0 && !this.#damaged) this.#pipelines = true;
    const request = { ordinal: this.newOrdinal(), head, last };
    if (this.waiting.length === 0) this.waiting = [request];
    else this.waiting.push(request);
    this.#lossesAtRequest = this.#clientLosses;
    return request;
  }

  /**
   * Finds the request of a response (not 1xx, except 101) and removes it from `waiting`.
   * @param at frame of the first byte of the response.
   * @param unanswered receives the requests that can have no response any more.
   * @returns null if it is unknown.
   */
  response(at: Origin, unanswered: WaitingRequest[]): WaitingRequest | null {
    const waiting = this.waiting;
    if (!this.#damaged) {
      if (waiting.length > 1) return waiting.shift()!;
      this.waiting = NONE;
      return waiting.length === 0 ? null : waiting[0];
    }
    while (waiting.length > 0 && this.mayBeLost(waiting[0])) unanswered.push(waiting.shift()!);
    if (waiting.length > 1 && compareFrames(waiting[1].last, at) < 0) {
      // Both were sent before the response, with no known loss since the first: they were pipelined, or a response was not read.
      this.#undecidable = true;
      unanswered.push(...waiting.splice(0));
    }
    // Segments that waited after a loss are read late, so a response may be older than a request that was read before it.
    if (waiting.length === 0 || compareFrames(at, waiting[0].last) < 0) return null;
    return waiting.shift()!;
  }

  /**
   * Whether the response to this request may be lost, because the request was sent before a loss was noticed. The next captured response
   * may belong to it or to a lost request. (The frame that acknowledges responses may carry the next request.)
   */
  mayBeLost(request: WaitingRequest): boolean {
    return this.#undecidable || (this.#serverLoss !== null && compareFrames(request.last, this.#serverLoss) < 0);
  }

  get #damaged(): boolean {
    return this.#serverLoss !== null || this.#clientLosses > 0;
  }

  /** Requests (`client`) or responses (`server`) may be missing from here on. */
  lost(from: 'client' | 'server', origin: Origin): void {
    if (from === 'server') this.#serverLoss = origin;
    else this.#clientLosses += 1;
    if (this.#pipelines) this.#undecidable = true;
  }

  /** Whether no request was sent since the latest response with a request, as far as it was captured. */
  get quiet(): boolean {
    return this.waiting.length === 0 && this.#clientLosses === this.#lossesAtRequest;
  }

  newOrdinal(): number {
    this.#ordinals += 1;
    return this.#ordinals;
  }
}

/** Shared and never changed: most open connections have no waiting request. */
const NONE: WaitingRequest[] = [];
