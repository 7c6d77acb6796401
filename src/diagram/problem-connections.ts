// Counts failed connections by kind, each kind once: refused, unanswered, unreachable, failed TLS handshakes.

import { BoundedMap } from '../core/collections/bounded.js';
import { clientOf, serverOf, withAddress } from '../core/connection-name.js';
import type { Notice, NoticeCode } from '../core/notice.js';
import type { Message } from '../kubernetes/messages/message.js';
import { Endpoints } from './notes/endpoints.js';
import { FAILURES, isOrderly, kindOf, REFUSED } from './notes/failed-connections.js';
import type { TimedProblem } from './problems.js';

interface FailedConnectionKind {
  readonly code: NoticeCode;
  readonly detail: string;
  readonly client: string;
  readonly server: string;
  readonly time: bigint;
  readonly frame: number;
  /** The server had answered before. */
  readonly wasUp: boolean;
  last: bigint;
  count: number;
}

export class FailedConnections {
  readonly #endpoints: Endpoints;
  readonly #isKnown: boolean;
  /** Server → time of its first answer, or of the first that came of a TLS handshake; ns. */
  readonly #answers = new BoundedMap<string, bigint>(MAX_SERVERS, 'servers that answered');
  readonly #kinds = new Map<string, FailedConnectionKind>();
  /** Failures of kinds beyond the limit. */
  uncounted = 0;

  /** @param endpoints of all messages, where not all of them are observed. */
  constructor(endpoints?: Endpoints) {
    this.#endpoints = endpoints ?? new Endpoints();
    this.#isKnown = endpoints !== undefined;
  }

  observe(message: Message): void {
    if (!this.#isKnown) this.#endpoints.add(message);
    if (message.kind !== 'response') return;
    const server = serverOf(message.connection);
    if (!this.#answers.has(server)) this.#answers.set(server, message.time);
  }

  add({ code, detail, origin, connection }: Notice): void {
    if (!(code in FAILURES) || origin === undefined || connection === undefined) return;
    // A client that ends its connections is done.
    if (isOrderly({ code, detail }) && detail.endsWith('client')) return;
    const server = serverOf(connection);
    const client = clientOf(connection);
    const { time, frame } = origin;
    if (code.startsWith('tls') && !this.#answers.has(server)) this.#answers.set(server, time);
    const wasUp = (this.#answers.get(server) ?? time) < time;
    const key = `${kindOf(code, server, client, detail)} ${wasUp}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) {
      known.count += 1;
      if (time > known.last) known.last = time;
    } else if (this.#kinds.size >= MAX_KINDS) this.uncounted += 1;
    else this.#kinds.set(key, { code, detail, client, server, time, last: time, frame, wasUp, count: 1 });
  }

  /** A frame number is that of the capture. */
  result(): readonly TimedProblem[] {
    return [...this.#kinds.values()].map(({ code, detail, client, server, time, last, frame, wasUp, count }) => {
      const name = this.#endpoints.nameOf(server);
      const target = name === undefined ? server : withAddress(name, server);
      const words = `to ${target}: ${FAILURES[code]}`;
      const what = code === REFUSED ? words : `from ${this.#endpoints.whereIs(client)} ${words}: ${detail}`;
      const isStart = code === REFUSED && !wasUp && (this.#answers.get(server) ?? -1n) > last;
      const isRenewal = isOrderly({ code, detail }) && !this.#isRefusedAfter(server, last);
      const usual = isStart ? STARTS : isRenewal ? RENEWS : undefined;
      const weight = usual === undefined ? ({ kind: 'unreachable' } as const) : ({ kind: 'start-up', usual } as const);
      return { ...weight, what: `connection ${what}`, count, frame, time, last };
    });
  }

  /** Whether a server refused a connection soon after `time` (ns), because it had shut down. */
  #isRefusedAfter(server: string, time: bigint): boolean {
    const isOf = (one: FailedConnectionKind): boolean => one.code === REFUSED && one.server === server;
    return [...this.#kinds.values()].some((one) => isOf(one) && one.last >= time && one.time - time <= SOON_NS);
  }
}

/** ns: an API server ends within --shutdown-delay-duration and a minute for its requests (k8s.io/apiserver, server/config.go). */
const SOON_NS = 60_000_000_000n;
/** k8s.io/apiserver, server/filters/goaway.go. */
const RENEWS = 'a server asks its clients to connect again, so that they spread over all servers';
/** Clients try until the server listens (client-go, tools/cache/reflector.go: its back-off). */
const STARTS = 'clients try again until a server that starts listens';
/** Limit: servers whose first answer is known. */
const MAX_SERVERS = 10_000;
/** Limit: kinds of failed connections, each a line of the summary with its count. */
const MAX_KINDS = 1000;
