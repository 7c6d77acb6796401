// Which request a response answers on one HTTP/1 connection. Knows the order of heads and losses, no bytes.
//
// Responses come in the order of their requests, so without losses the oldest unanswered request is the one. After a loss
// the order of capture decides, as far as it proves anything: a client that does not pipeline sends a request only when
// it has the response to the one before, and no response comes before its request. What that does not prove gets no
// request: a wrong pair is worse than none.

import { compareFrames, type Origin } from '../../core/origin.js';
import type { RequestHead } from '../http-event.js';

/** Requests of one connection that may wait for their responses; with one direction captured, none ever gets one. */
export const MAX_WAITING = 1024;

export interface WaitingRequest {
  /** Ordinal of its exchange on the connection, from 1. */
  readonly ordinal: number;
  readonly head: RequestHead;
  /** Frame of the last byte of its head. */
  readonly last: Origin;
}

export class Http1Pairing {
  /** In order of sending; NOBODY while none waits, as in most open connections for long. */
  waiting: WaitingRequest[] = NOBODY;
  #ordinals = 0;
  /** Where the last loss of responses was noticed: the frame that acknowledged them. */
  #serverLoss: Origin | null = null;
  #clientLosses = 0;
  /** `#clientLosses` when the newest request was seen. */
  #lossesAtRequest = 0;
  /** A request was sent while another had no response. */
  #pipelines = false;
  /** After a loss on a connection that pipelines nothing can be proven any more. */
  #undecidable = false;

  /** A request's head is complete; `last` is the frame of its last byte. */
  request(head: RequestHead, last: Origin): WaitingRequest {
    // After a loss requests may be told in a bunch that were sent one by one.
    if (this.waiting.length > 0 && !this.#damaged) this.#pipelines = true;
    const request = { ordinal: this.newOrdinal(), head, last };
    if (this.waiting.length === 0) this.waiting = [request];
    else this.waiting.push(request);
    this.#lossesAtRequest = this.#clientLosses;
    return request;
  }

  /**
   * A response's head is complete (1xx but 101 do not count).
   *
   * @param at frame of its first byte.
   * @param unanswered gets the requests that can have no response any more.
   * @returns the request that it answers, no longer waiting; null if that cannot be told.
   */
  response(at: Origin, unanswered: WaitingRequest[]): WaitingRequest | null {
    const waiting = this.waiting;
    if (!this.#damaged) {
      if (waiting.length > 1) return waiting.shift()!;
      this.waiting = NOBODY;
      return waiting.length === 0 ? null : waiting[0];
    }
    while (waiting.length > 0 && this.mayBeLost(waiting[0])) unanswered.push(waiting.shift()!);
    if (waiting.length > 1 && compareFrames(waiting[1].last, at) < 0) {
      // Both were sent before it, with no known loss since the first: they were pipelined, or a response went unread.
      this.#undecidable = true;
      unanswered.push(...waiting.splice(0));
    }
    // Segments that waited behind a loss are told late: they may be older than a request that was told before them.
    if (waiting.length === 0 || compareFrames(at, waiting[0].last) < 0) return null;
    return waiting.shift()!;
  }

  /**
   * The response to this request may be among those that were lost: it was sent before a loss was noticed. The next one
   * that is seen may answer it or a request that was lost as well. (The frame that acknowledges responses may carry the
   * next request.)
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

  /** Nothing was asked since the last response that has one, as far as the capture shows. */
  get quiet(): boolean {
    return this.waiting.length === 0 && this.#clientLosses === this.#lossesAtRequest;
  }

  newOrdinal(): number {
    this.#ordinals += 1;
    return this.#ordinals;
  }
}

/** Stays empty: a line of its own is made for the first who waits. */
const NOBODY: WaitingRequest[] = [];
