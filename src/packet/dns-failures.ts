// Finds the names that DNS did not resolve, in datagrams of port 53: what a program looked up before it connected to nothing.
//
//   id:16 | flags:16, last four bits the result | questions:16 | answers:16 | 4 bytes | name in labels, each after its length | type:16
//
// Source: RFC 1035, section 4.1; RFC 2308 (no such name, no data).

import { latin1, u16be } from '../core/bytes/bytes.js';
import { RecentMap } from '../core/collections/bounded.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Endpoint } from './segment.js';

interface Lookup {
  readonly client: Endpoint;
  readonly server: Endpoint;
  readonly name: string;
  readonly origin: Origin;
}

interface FailedLookup extends Lookup {
  readonly result: string;
  count: number;
}

export class DnsFailures {
  /** Questions without an answer so far. */
  readonly #asked = new RecentMap<string, Lookup>(MAX_ASKED);
  /** By client and first label: a search has the same. */
  readonly #failed = new RecentMap<string, FailedLookup[]>(MAX_FAILED);
  #last = 0n;

  /** @param b `at` … `end`: the datagram. */
  read(source: Endpoint, destination: Endpoint, b: Uint8Array, at: number, end: number, origin: Origin): void {
    this.#last = origin.time;
    if (at + HEADER_BYTES > end || u16be(b, at + 4) !== 1) return;
    const flags = u16be(b, at + 2);
    const name = nameIn(b, at + HEADER_BYTES, end);
    if (name === null) return;
    const isAnswer = (flags & ANSWER) !== 0;
    const [client, server] = isAnswer ? [destination, source] : [source, destination];
    const key = `${client.address} ${client.port} ${u16be(b, at)} ${name}`;
    if (!isAnswer) {
      if (this.#asked.get(key) === undefined) this.#asked.set(key, { client, server, name, origin });
      return;
    }
    // An answer that was captured twice counts once.
    const isNew = this.#asked.delete(key);
    const result = flags & RESULT;
    if (result !== 0) this.#fail({ client, server, name, origin }, RESULTS[result] ?? `result ${result}`, isNew);
    else if (u16be(b, at + 6) > 0) this.#resolved(client, name);
  }

  /** One notice for each client and name. */
  end(): Notice[] {
    for (const one of this.#asked.values())
      if (this.#last - one.origin.time > PATIENCE_NS) this.#fail(one, NO_ANSWER, true);
    return [...this.#failed.values()]
      .flatMap((all) => all.filter((one) => !all.some((other) => isOfSameSearch(one, other))))
      .map(({ client, server, name, result, count, origin }) =>
        notice('dns.failed', `${name}: ${result}${count === 1 ? '' : `, ${count} times`}`, {
          origin,
          connection: `${client.address}:${client.port}-${server.address}:${server.port}`,
        }),
      );
  }

  #fail(lookup: Lookup, result: string, isNew: boolean): void {
    const key = searchKey(lookup.client, lookup.name);
    const all = this.#failed.get(key) ?? [];
    const known = all.find((one) => one.name === lookup.name && one.result === result);
    if (known === undefined && all.length < MAX_OF_A_SEARCH) all.push({ ...lookup, result, count: 1 });
    else if (known !== undefined && isNew) known.count += 1;
    this.#failed.set(key, all);
  }

  /** A name was resolved: those that the resolver tried before it in the same search are no failures. */
  #resolved(client: Endpoint, name: string): void {
    const key = searchKey(client, name);
    const left = this.#failed.get(key)?.filter((one) => one.name !== name && !isTriedBefore(one.name, name)) ?? [];
    if (left.length === 0) this.#failed.delete(key);
    else this.#failed.set(key, left);
  }
}

function searchKey({ address }: Endpoint, name: string): string {
  return `${address} ${name.split('.', 1)[0]}`;
}

/** Of the names of one search that all failed, the shortest is the one that was looked up. */
function isOfSameSearch(one: FailedLookup, other: FailedLookup): boolean {
  return one.result === other.result && isTriedBefore(one.name, other.name);
}

/**
 * A resolver appends domains to a name that has few dots (resolv.conf(5), search, ndots): `web.other.shop.svc.cluster.local` is tried
 * before `web.other.svc.cluster.local`, and `example.org.svc.cluster.local` before `example.org`. So the name that is meant is the one
 * that was tried, without labels from its middle or end.
 */
function isTriedBefore(tried: string, meant: string): boolean {
  const [long, short] = [tried.split('.'), meant.split('.')];
  if (long.length <= short.length) return false;
  let same = 0;
  while (same < short.length && long[same] === short[same]) same += 1;
  if (same === 0) return false;
  let tail = 0;
  while (tail < short.length - same && long[long.length - 1 - tail] === short[short.length - 1 - tail]) tail += 1;
  return same + tail === short.length;
}

/** @returns null: it is cut, or has letters that the name of a host has not (RFC 1123, section 2.1; RFC 2782 for `_`). */
function nameIn(b: Uint8Array, at: number, end: number): string | null {
  const labels: string[] = [];
  for (let start = at; start < end && start - at < MAX_NAME_BYTES; start += 1 + b[start]) {
    const length = b[start];
    if (length === 0) return labels.length === 0 ? null : labels.join('.');
    if (length > MAX_LABEL_BYTES || start + 1 + length > end) return null;
    const label = latin1(b, start + 1, start + 1 + length).toLowerCase();
    if (!LABEL.test(label)) return null;
    // Long labels of letters and digits are ids, which may be secrets.
    labels.push(IDENTIFIER.test(label) && /\d/.test(label) ? '…' : label);
  }
  return null;
}

const HEADER_BYTES = 12;
const ANSWER = 0x8000;
const RESULT = 0x000f;
/** RFC 1035, section 4.1.1, by the names that tools print. */
const RESULTS: readonly (string | undefined)[] = [undefined, 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const NO_ANSWER = 'no answer';
/** Limit in bytes: a name (RFC 1035, section 2.3.4). */
const MAX_NAME_BYTES = 255;
/** Limit in bytes: a label of a name (RFC 1035, section 2.3.4). */
const MAX_LABEL_BYTES = 63;
const LABEL = /^[a-z0-9_-]+$/;
const IDENTIFIER = /^[a-z0-9_]{20,}$/;
/** ns: resolvers give up after 5 s by default (resolv.conf(5), timeout). */
const PATIENCE_NS = 5_000_000_000n;
/** Limit: questions that wait for an answer: some seconds of a node's. */
const MAX_ASKED = 4096;
/** Limit: searches without success: those of a cluster's clients; the first of them are forgotten. */
const MAX_FAILED = 1024;
/** Limit: names that begin alike and were not resolved for one client: as many as its search domains, and a few more. */
const MAX_OF_A_SEARCH = 16;
