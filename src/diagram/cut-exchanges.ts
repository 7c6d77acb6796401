// Counts exchanges that a side broke off, by who did it and how: watches and answers that were cut, requests that were given up.

import { BoundedMap } from '../core/collections/bounded.js';
import { serverOf } from '../core/connection-name.js';
import { elapsedText } from '../core/duration.js';
import { counted, sizeText } from '../core/quantity.js';
import { TOLD_SILENCE_MS, wayOf } from '../kubernetes/messages/end-message.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { TimedProblem } from './problems.js';
import { requestText } from './verbs.js';

/** Exchanges that one program broke off in one way. */
interface CutSeries {
  readonly kind: 'cut' | 'deadline';
  /** `kube-apiserver (192.0.2.10:6443) cut` */
  readonly did: string;
  readonly way: string;
  /** `list pods in shop`, of the first. */
  readonly request: string;
  isOneRequest: boolean;
  watches: number;
  count: number;
  /** Programs on the other side. */
  readonly others: Set<string>;
  /** Of the first: after how long, after how many bytes. */
  readonly details: string;
  /** ms: longest silence before. */
  longest: number;
  readonly message: number;
  readonly time: bigint;
  last: bigint;
}

export class CutExchanges {
  readonly #series = new Map<string, CutSeries>();
  /** Client and request → end of one that the server did not process, until it is sent again. */
  readonly #unprocessed = new BoundedMap<string, Message>(MAX_UNPROCESSED, 'requests that were not processed');
  /** Ends of series beyond the limit. */
  uncounted = 0;

  /** @param message in the order of time. */
  add(message: Message): void {
    if (message.kind === 'request') this.#sent(message);
    else if (message.cut?.unprocessed === true) this.#unprocessed.set(keyOf(message, message.to), message);
    else if (message.cut !== undefined) this.#count(message);
  }

  result(): readonly TimedProblem[] {
    for (const [key, message] of this.#unprocessed.entries()) {
      this.#count(message);
      this.#unprocessed.delete(key);
    }
    return [...this.#series.values()].map(({ kind, count, message, time, last, ...one }) => {
      const silence = one.longest < TOLD_SILENCE_MS ? '' : `, ${elapsedText(one.longest * 1e6)} without a byte`;
      const what = `${one.did} ${subjectOf(one, count)}${one.details}: ${one.way}${silence}`;
      return { kind, what, count, message, time, last };
    });
  }

  #sent(message: Message): void {
    if (this.#unprocessed.size > 0) this.#unprocessed.delete(keyOf(message, message.from));
  }

  #count(message: Message): void {
    const { from, to, cut, connection, verb, seq, time } = message;
    if (cut === undefined) return;
    const { by, afterMs, silentMs = 0, received = 0, promised } = cut;
    const isGivenUp = by === 'client' && afterMs !== undefined;
    const who = by === 'client' ? from.process.name : withAddress(from.process.name, serverOf(connection));
    const did = `${who} ${isGivenUp ? 'gave up' : afterMs === undefined ? 'cut' : 'did not answer'}`;
    const way = wayOf(cut);
    const request = requestText(message);
    // What a client gave up is told one by one.
    const key = [did, way, isGivenUp ? request : ''].join(' ');
    const known = this.#series.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.last = time;
      known.isOneRequest &&= known.request === request;
      if (verb === 'watch') known.watches += 1;
      known.longest = Math.max(known.longest, silentMs);
      if (known.others.size <= MANY) known.others.add(to.process.name);
    } else if (this.#series.size >= MAX_SERIES) this.uncounted += 1;
    else {
      const bytes = promised === undefined ? '' : ` after ${sizeText(received)} of ${sizeText(promised)}`;
      this.#series.set(key, {
        kind: isGivenUp ? 'deadline' : 'cut',
        did,
        way,
        request,
        isOneRequest: true,
        watches: verb === 'watch' ? 1 : 0,
        count: 1,
        others: new Set([to.process.name]),
        details: isGivenUp ? ` after ${elapsedText(afterMs * 1e6)}` : bytes,
        longest: silentMs,
        message: seq,
        time,
        last: time,
      });
    }
  }
}

/** `watch pods of kubectl`, `41 watches and 2 requests of kubelet (node-1), kube-scheduler` */
function subjectOf(
  { request, isOneRequest, watches, others }: Pick<CutSeries, 'request' | 'isOneRequest' | 'watches' | 'others'>,
  count: number,
): string {
  const shown = [...others].slice(0, MANY).join(', ');
  const whose = ` of ${shown}${others.size > MANY ? ' and others' : ''}`;
  if (isOneRequest) return `${request}${whose}`;
  const requests = count - watches;
  const what = [
    ...(watches === 0 ? [] : [counted(watches, 'watch', 'watches')]),
    ...(requests === 0 ? [] : [counted(requests, 'request')]),
  ];
  return `${what.join(' and ')}${whose}`;
}

/** A proxy is named by its address. */
function withAddress(name: string, server: string): string {
  return name.includes(server.slice(0, server.lastIndexOf(':'))) ? name : `${name} (${server})`;
}

function keyOf(message: Message, client: Participant): string {
  return `${client.process.name} ${requestText(message)} ${message.name ?? ''}`;
}

/** Limit: series, each a line of the summary with its count. */
const MAX_SERIES = 1000;
/** Limit: requests that may be sent again: a client does so at once. */
const MAX_UNPROCESSED = 1000;
/** Limit: programs that a line names. */
const MANY = 3;
