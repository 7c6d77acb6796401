// Counts failed connections by kind, each kind once: refused, unanswered, unreachable, failed TLS handshakes.

import { clientOf, serverOf } from '../core/connection-name.js';
import type { Notice, NoticeCode } from '../core/notice.js';
import { Endpoints } from '../diagram/notes/endpoints.js';
import { FAILURES, kindOf, REFUSED } from '../diagram/notes/failed-connections.js';
import type { Problem } from '../diagram/problems.js';
import type { Message } from '../kubernetes/messages/message.js';

interface FailedConnectionKind {
  readonly code: NoticeCode;
  readonly detail: string;
  readonly client: string;
  readonly server: string;
  readonly time: bigint;
  readonly frame: number;
  count: number;
}

export class FailedConnections {
  readonly #endpoints = new Endpoints();
  readonly #kinds = new Map<string, FailedConnectionKind>();
  /** Failures of kinds beyond the limit. */
  uncounted = 0;

  observe(message: Message): void {
    this.#endpoints.add(message);
  }

  add({ code, detail, origin, connection }: Notice): void {
    if (!(code in FAILURES) || origin === undefined || connection === undefined) return;
    const server = serverOf(connection);
    const client = clientOf(connection);
    const key = kindOf(code, server, client, detail);
    const known = this.#kinds.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#kinds.size >= MAX_KINDS) this.uncounted += 1;
    else this.#kinds.set(key, { code, detail, client, server, time: origin.time, frame: origin.frame, count: 1 });
  }

  /** With the time of the first failure of each kind, ns; its frame number is that of its own capture. */
  result(): readonly (Problem & { readonly time: bigint })[] {
    return [...this.#kinds.values()].map(({ code, detail, client, server, time, frame, count }) => {
      const name = this.#endpoints.nameOf(server);
      const target = name === undefined ? server : `${name} (${server})`;
      const words = `to ${target}: ${FAILURES[code]}`;
      const what = code === REFUSED ? words : `from ${this.#endpoints.whereIs(client)} ${words}: ${detail}`;
      return { what: `connection ${what}`, count, frame, time };
    });
  }
}

/** Limit: kinds of failed connections, each a line of the summary with its count. */
const MAX_KINDS = 1000;
