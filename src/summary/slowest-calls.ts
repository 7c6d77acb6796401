// Keeps the calls that took longest: their latency, and receiving their response. A watch is none: nobody waits for its head.

import { requestWords } from '../diagram/verbs.js';
import type { Message, Participant, Protocol } from '../kubernetes/messages/message.js';
import type { AnsweredRequest } from './answered-request.js';

export interface SlowCall {
  /** ms from the last byte of the request to the first of the response. */
  readonly latencyMs: number;
  readonly client: string;
  readonly server: string;
  readonly protocol: Protocol;
  /** `create pods`, `KV/Txn`, `GET`. */
  readonly request: string;
  /** What it is about: `default/nginx`, or the path of a request for no resource; absent: nothing is named. */
  readonly object?: string;
  /** Of the latency, what was lost below HTTP; what receiving the response took behind it. */
  readonly times?: Message['times'];
  /** `seq` of the request and of the response. */
  readonly messages: readonly [number, number];
}

interface KeptCall {
  readonly latencyMs: number;
  /** ms until the response had been received. */
  readonly tookMs: number;
  readonly client: Participant;
  readonly server: Participant;
  readonly request: AnsweredRequest;
  readonly times: Message['times'];
  readonly response: number;
}

export class SlowestCalls {
  /** Slowest first. */
  readonly #calls: KeptCall[] = [];

  response({ latencyMs, seq, times }: Message, request: AnsweredRequest): void {
    if (latencyMs === undefined || request.verb === 'watch') return;
    const isFull = this.#calls.length >= MAX_SLOWEST;
    const tookMs = latencyMs + (times?.receiveMs ?? 0);
    if (isFull && tookMs <= this.#calls[MAX_SLOWEST - 1].tookMs) return;
    if (isFull) this.#calls.pop();
    const at = this.#calls.findIndex((one) => one.tookMs < tookMs);
    const { client, server } = request;
    this.#calls.splice(at < 0 ? this.#calls.length : at, 0, {
      latencyMs,
      tookMs,
      client,
      server,
      request,
      times,
      response: seq,
    });
  }

  result(): readonly SlowCall[] {
    return this.#calls.map(({ latencyMs, client, server, request, times, response }) => {
      const object = objectOf(request);
      return {
        ...{ latencyMs, client: client.name, server: server.name },
        protocol: request.protocol,
        request: requestWords(request),
        ...(object === undefined ? null : { object }),
        ...(times === undefined ? null : { times }),
        messages: [request.seq, response] as const,
      };
    });
  }
}

/** A Namespace fills both fields. */
function objectOf({ protocol, resource, namespace, name, target }: AnsweredRequest): string | undefined {
  if (resource === undefined && protocol !== 'cri') return target?.split('?', 1)[0];
  if (name === undefined) return undefined;
  return namespace === undefined || resource === 'namespaces' ? name : `${namespace}/${name}`;
}

/** Limit: slowest calls that are listed; how many others there were, the latencies of each kind of request say. */
const MAX_SLOWEST = 100;
