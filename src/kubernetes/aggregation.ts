// Aggregated API servers: what a client asks of the API server about a group that is not its own, the API server asks of
// another server with the same words, and tells it who the client is. Knows the headers that it does so with
// (kube-aggregator, handler_proxy.go: X-Remote-User, Audit-Id); a request that was not seen on its first hop is no second.

import { fieldValue } from '../core/fields.js';
import type { RequestHead } from '../http/http-event.js';
import type { Connection } from '../tcp/stream-event.js';
import type { Draft } from './draft.js';
import type { Speaker } from './message.js';
import type { Speakers } from './speakers.js';
import type { Talk } from './talk.js';

/** The first hop of a request that was handed on. */
export interface FirstHop {
  readonly seq: number;
  /** The API server. */
  readonly server: Speaker;
}

interface Waiting extends FirstHop {
  readonly talk: Talk;
  /** Of the connection that it came over. */
  readonly connection: number;
}

export class Aggregation {
  /** By method and target; requests that say the same in their order. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #keys = new Map<Talk, string>();

  /** A client asked; an answer is out. */
  asked(talk: Talk, message: Draft, head: RequestHead | null, connection: Connection): void {
    if (head === null || talk.forwarded !== undefined || !isForeign(head.target)) return;
    if (this.#keys.size >= MAX_WAITING) this.over(this.#keys.keys().next().value as Talk);
    const key = `${head.method} ${head.target}`;
    const waiting: Waiting = { seq: message.seq, server: talk.server, talk, connection: connection.id };
    const same = this.#waiting.get(key);
    if (same === undefined) this.#waiting.set(key, [waiting]);
    else {
      if (same.length >= MAX_EQUAL) this.over(same[0].talk);
      same.push(waiting);
    }
    this.#keys.set(talk, key);
  }

  /** What a request of the API server was asked for; null: it is nobody's second hop. */
  firstHopOf(head: RequestHead, connection: Connection): FirstHop | null {
    if (this.#waiting.size === 0 || !isForeign(head.target)) return null;
    if (fieldValue(head.fields, 'x-remote-user') === undefined) return null;
    const same = this.#waiting.get(`${head.method} ${head.target}`);
    const at = same?.findIndex((one) => one.connection !== connection.id) ?? -1;
    if (same === undefined || at < 0) return null;
    const [first] = same.splice(at, 1);
    this.over(first.talk);
    return first;
  }

  /** An exchange is over. */
  over(talk: Talk): void {
    const key = this.#keys.get(talk);
    if (key === undefined) return;
    this.#keys.delete(talk);
    const left = (this.#waiting.get(key) ?? []).filter((one) => one.talk !== talk);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
  }
}

/** Who answers for a group: `aggregated-apiserver metrics.k8s.io`. */
export function aggregatedServer(
  head: RequestHead,
  { server }: Connection,
  speakers: Speakers,
  frame: number,
): Speaker {
  const group = GROUP.exec(head.target ?? '')?.[1] ?? '';
  return speakers.extension({
    component: AGGREGATED,
    key: `${server.address}:${server.port}`,
    name: `${AGGREGATED} ${group}`,
    address: server.address,
    evidence: `is handed on what is asked about ${group}, on ${server.address} port ${server.port} (frame ${frame})`,
    frame,
  });
}

/** About a group that the API server does not serve itself, or that a CustomResourceDefinition made. */
function isForeign(target: string | null): boolean {
  const group = GROUP.exec(target ?? '')?.[1];
  return group?.includes('.') === true && !BUILT_IN.has(group);
}

export const AGGREGATED = 'aggregated-apiserver';
const GROUP = /^\/apis\/([a-z0-9][a-z0-9.-]{0,252})(?:[/?]|$)/;
/** Groups with a dot in k8s.io/api and the API server's own. */
const BUILT_IN = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);
/** Requests about such groups without an answer; watches of custom resources stay. */
const MAX_WAITING = 10_000;
/** Of those that are equal in all they say. */
const MAX_EQUAL = 64;
