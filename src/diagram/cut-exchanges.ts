// Counts exchanges that a side broke off, by who did it and how: watches and answers that were cut, requests that were given up.

import { BoundedMap } from '../core/collections/bounded.js';
import { appendTo } from '../core/collections/multimap.js';
import { SeriesTable } from '../core/collections/series-table.js';
import { serverOf, withAddress } from '../core/connection-name.js';
import { type CutInfo, TOLD_SILENCE_MS, wayOf } from '../core/cut.js';
import { elapsedText } from '../core/duration.js';
import { counted, sizeText } from '../core/quantity.js';
import { objectText } from '../kubernetes/api/object-ref.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { TimedProblem } from './problems.js';
import { requestText } from './verbs.js';

/** Exchanges that one program broke off in one way. */
interface CutSeries {
  readonly kind: 'cut' | 'deadline';
  /** Who did it, and what it did: `cut by proxy 192.0.2.20`. */
  readonly did: string;
  readonly way: string;
  /** `kubectl: list pods in shop`, of the first. */
  readonly first: string;
  /** What was given up: `configmaps shop/web`. */
  readonly objects: Set<string>;
  isOneRequest: boolean;
  watches: number;
  count: number;
  /** Programs that sent the requests. */
  readonly clients: Set<string>;
  /** ms: longest silence before; of watches that were ended early, the longest time that one was open. */
  longest: number;
  /** It is of custom resources alone, whose watches end when their definition changes. */
  isCustom: boolean;
  readonly isEarly: boolean;
  /** Watches that their clients opened again, and when the last one. */
  reopened: number;
  again: bigint;
  readonly message: number;
  readonly time: bigint;
  last: bigint;
}

export class CutExchanges {
  readonly #series = new SeriesTable<string, CutSeries>(MAX_SERIES);
  /** Client and request → end of one that the server did not process, until it is sent again. */
  readonly #unprocessed = new BoundedMap<string, Message>(MAX_UNPROCESSED, 'requests that were not processed');
  /** Client and watch → the series of each that was cut, until it is opened again. */
  readonly #closedWatches = new BoundedMap<string, CutSeries[]>(MAX_WATCHES, 'watches that were cut');

  /** Ends of series beyond the limit. */
  get uncounted(): number {
    return this.#series.leftOut;
  }

  /** @param message in the order of time. */
  add(message: Message): void {
    if (message.kind === 'request') this.#sent(message);
    else if (message.cut?.unprocessed === true) this.#unprocessed.set(keyOf(message, message.to), message);
    else if (message.cut !== undefined) this.#count(message, message.cut);
  }

  result(): readonly TimedProblem[] {
    for (const [key, message] of this.#unprocessed.entries()) {
      if (message.cut !== undefined) this.#count(message, message.cut);
      this.#unprocessed.delete(key);
    }
    return [...this.#series.values()].flatMap((one) => {
      const { kind, did, way, count, message, time, last, isCustom, isEarly } = one;
      if (isEarly && isCustom) return [];
      const what = `${subjectOf(one)}: ${did} (${way}${timeWords(one)})${againWords(one)}`;
      return [{ kind, what, count, message, time, last }];
    });
  }

  #sent(message: Message): void {
    if (this.#unprocessed.size > 0) this.#unprocessed.delete(keyOf(message, message.from));
    if (message.verb !== 'watch' || this.#closedWatches.size === 0) return;
    const key = keyOf(message, message.from);
    const series = this.#closedWatches.get(key)?.shift();
    if (series === undefined) return;
    series.reopened += 1;
    series.again = message.time;
  }

  #count(message: Message, cut: CutInfo): void {
    const { from, to, connection, verb, seq, time } = message;
    const { by, afterMs, openMs, silentMs = openMs ?? 0 } = cut;
    // apiextensions-apiserver, pkg/apiserver/customresource_handler.go: updateCustomResourceDefinition. Only their groups need a dot.
    const isCustom = message.apiGroup?.includes('.') === true;
    const isGivenUp = by === 'client' && afterMs !== undefined;
    // Who cancels at once does not do so because the answer takes long.
    if (isGivenUp && afterMs < TOLD_SILENCE_MS) return;
    const client = (by === 'client' ? from : to).process.name;
    const server = withAddress((by === 'client' ? to : from).process.name, serverOf(connection));
    const first = `${client}: ${requestText(message)}`;
    const way = wayOf(cut);
    // What a client gave up is told one by one.
    const key = isGivenUp ? `${first} ${server} ${way}` : `${server} ${way} ${afterMs === undefined}`;
    const series = this.#series.of(key, () => ({
      kind: isGivenUp ? 'deadline' : 'cut',
      did: didOf(cut, server),
      way,
      first,
      objects: new Set(),
      isOneRequest: true,
      watches: 0,
      count: 0,
      clients: new Set(),
      longest: 0,
      isCustom,
      isEarly: openMs !== undefined,
      reopened: 0,
      again: time,
      message: seq,
      time,
      last: time,
    }));
    if (series === undefined) return;
    series.count += 1;
    series.last = time;
    series.isOneRequest &&= series.first === first;
    if (verb === 'watch') series.watches += 1;
    series.isCustom &&= isCustom;
    if (!isGivenUp) series.longest = Math.max(series.longest, silentMs);
    if (series.clients.size <= MANY) series.clients.add(client);
    if (isGivenUp) addObject(series.objects, message);
    if (verb === 'watch' && by !== 'client') this.#closed(message, series);
  }

  #closed(message: Message, series: CutSeries): void {
    const key = keyOf(message, message.to);
    appendTo(this.#closedWatches, key, series);
  }
}

function addObject(objects: Set<string>, { protocol, resource, namespace, name }: Message): void {
  if (name == null || objects.size > MANY) return;
  // The words of a request of Kubernetes have the rest.
  objects.add(protocol === 'kubernetes' ? name : objectText(resource, namespace, name));
}

/** What was done to an exchange, and by whom. */
function didOf({ by, how, afterMs, openMs, received = 0, promised, unprocessed }: CutInfo, server: string): string {
  if (unprocessed === true) return `not processed by ${server}, and not sent again`;
  if (by === 'client' && afterMs !== undefined)
    return `given up after ${elapsedText(afterMs * 1e6)} without an answer of ${server}${CONNECTION[how] ?? ''}`;
  if (by === 'client') return `given up while ${server} answered`;
  if (afterMs !== undefined) return `ended without an answer by ${server}`;
  if (openMs !== undefined) return `ended early by ${server}`;
  return `cut by ${server}${promised === undefined ? '' : ` after ${sizeText(received)} of ${sizeText(promised)}`}`;
}

/** `kubectl: watch pods in shop`, `38 watches and 2 requests of kubelet (node-1), kube-scheduler` */
function subjectOf({ first, isOneRequest, objects, watches, count, clients }: CutSeries): string {
  if (isOneRequest) return `${first}${listed(objects, (names) => ` (${names})`)}`;
  const requests = count - watches;
  const what = [
    ...(watches === 0 ? [] : [counted(watches, 'watch', 'watches')]),
    ...(requests === 0 ? [] : [counted(requests, 'request')]),
  ];
  return `${what.join(' and ')}${listed(clients, (names) => ` of ${names}`)}`;
}

/** @param around what stands around the names; empty without any. */
function listed(names: ReadonlySet<string>, around: (names: string) => string): string {
  const more = names.size > MANY ? ' and others' : '';
  return names.size === 0 ? '' : around(`${[...names].slice(0, MANY).join(', ')}${more}`);
}

/** `, idle: 4.0 s without a byte`: nothing is due on a watch. */
function timeWords({ longest, watches, count, isEarly }: CutSeries): string {
  if (longest < TOLD_SILENCE_MS) return '';
  const long = elapsedText(longest * 1e6);
  if (isEarly) return `, open for ${count === 1 ? '' : 'up to '}${long}`;
  return `, ${watches === count ? 'idle: ' : ''}${long} without a byte`;
}

/** What became of many watches: `; all opened again within 7.3 s`. */
function againWords({ isOneRequest, watches, reopened, again, time }: CutSeries): string {
  if (isOneRequest || reopened === 0) return '';
  return `; ${reopened === watches ? 'all' : reopened} opened again within ${elapsedText(again - time)}`;
}

function keyOf(message: Message, client: Participant): string {
  return `${client.process.name} ${requestText(message)} ${message.name ?? ''}`;
}

/** What became of the connection of a request that was given up; RST_STREAM and GOAWAY leave it open. */
const CONNECTION: Readonly<Partial<Record<CutInfo['how'], string>>> = {
  FIN: ', connection closed',
  'FIN without close_notify': ', connection closed',
  close_notify: ', connection closed',
  RST: ', connection reset',
};
/** Limit: series, each a line of the summary with its count. */
const MAX_SERIES = 1000;
/** Limit: watches that were cut, of all clients of an API server. */
const MAX_WATCHES = 10_000;
/** Limit: requests that may be sent again: a client does so at once. */
const MAX_UNPROCESSED = 1000;
/** Limit: programs, and objects, that a line names. */
const MANY = 3;
