// Joins the two hops of exec, attach, port-forward and logs: what a client asks of the API server is what the API server
// then asks of the kubelet. Knows the paths of both; requests that are equal in all they say are taken in their order.
//
//   GET|POST /api/v1/namespaces/NS/pods/POD/exec?command=…&container=C      →  POST /exec/NS/POD[/UID]/C?command=…
//   GET|POST /api/v1/namespaces/NS/pods/POD/attach?container=C              →  POST /attach/NS/POD[/UID]/C
//   GET|POST /api/v1/namespaces/NS/pods/POD/portforward                     →  POST /portForward/NS/POD[/UID]
//   GET      /api/v1/namespaces/NS/pods/POD/log?container=C&follow=true     →  GET  /containerLogs/NS/POD/C?follow=true
//   (pkg/registry/core/pod/strategy.go: ExecLocation, AttachLocation, PortForwardLocation, LogLocation)

import { lookup } from '../core/lookup.js';
import type { Draft } from './draft.js';
import { QueryParameters } from './request-target.js';
import type { RuntimeStream, RuntimeStreams } from './runtime-streams.js';
import type { Talk } from './talk.js';

/** Requests to an API server whose kubelet's side was not seen yet; each ends with its exchange. */
export const MAX_WAITING_STREAMS = 10_000;

/** Of those that are equal in all they say. */
export const MAX_EQUAL_STREAMS = 64;

interface Waiting {
  readonly talk: Talk;
  readonly seq: number;
  /** undefined: the API server takes the Pod's only, or annotated, container. */
  readonly container: string | undefined;
}

export class StreamsJoin {
  readonly #runtime: RuntimeStreams;
  /** By what they ask for; of those that ask the same, the oldest first. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #keys = new Map<Talk, string>();

  constructor(runtime: RuntimeStreams) {
    this.#runtime = runtime;
  }

  /**
   * A request was sent: to an API server it waits for its second hop; to a kubelet it gets its cause and what it is about.
   *
   * @param target as on the wire.
   */
  asked(talk: Talk, message: Draft, target: string | undefined): void {
    const { info } = talk;
    if (info !== null) {
      const kind = info.resource === 'pods' ? API_KINDS[info.subresource ?? ''] : undefined;
      if (kind === undefined || info.name === undefined) return;
      const key = keyOf(kind, info.namespace ?? '', info.name, info.query);
      this.#wait(key, { talk, seq: message.seq, container: info.query.get('container') });
    } else if (talk.door.protocol === 'kubelet' && target !== undefined) this.#secondHop(talk, message, target);
    else if (talk.runtimeStream !== null) this.#lastHop(talk.runtimeStream, message);
  }

  /** Its exchange is over. */
  over(talk: Talk): void {
    this.#runtime.over(talk);
    const key = this.#keys.get(talk);
    if (key === undefined) return;
    this.#drop(key, talk);
  }

  #wait(key: string, one: Waiting): void {
    const oldest = this.#keys.size >= MAX_WAITING_STREAMS ? this.#keys.keys().next().value : undefined;
    if (oldest !== undefined) this.over(oldest);
    const same = this.#waiting.get(key);
    if (same === undefined) this.#waiting.set(key, [one]);
    else {
      if (same.length >= MAX_EQUAL_STREAMS) this.over(same[0].talk);
      same.push(one);
    }
    this.#keys.set(one.talk, key);
  }

  #secondHop(talk: Talk, message: Draft, target: string): void {
    const found = KUBELET_PATH.exec(target);
    if (found === null) return;
    const [, path, namespace, pod, rest, query] = found;
    const kind = KUBELET_KINDS[path];
    message.resource = 'pods';
    message.subresource = kind;
    message.namespace = namespace;
    message.name = pod;
    // The container stands last; before it may stand the Pod's uid.
    const container = kind === 'portforward' ? undefined : rest.slice(rest.lastIndexOf('/') + 1);
    this.#runtime.asked({ talk, seq: message.seq, kind, namespace, pod, container });
    const key = keyOf(kind, namespace, pod, new QueryParameters(query ?? ''));
    const asked = this.#waiting
      .get(key)
      ?.find((one) => one.container === undefined || container === undefined || one.container === container);
    if (asked === undefined) return;
    message.causedBy = asked.seq;
    this.#drop(key, asked.talk);
  }

  #lastHop({ seq, kind, namespace, pod }: RuntimeStream, message: Draft): void {
    message.resource = 'pods';
    message.subresource = kind;
    message.namespace = namespace;
    message.name = pod;
    message.causedBy = seq;
  }

  #drop(key: string, talk: Talk): void {
    this.#keys.delete(talk);
    const left = (this.#waiting.get(key) ?? []).filter((one) => one.talk !== talk);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
  }
}

/** Is this what an API server asks of a kubelet for somebody else? */
export function isSecondHop(target: string): boolean {
  return KUBELET_PATH.test(target);
}

/** What both hops say: which Pod, what for, which command. */
function keyOf(kind: string, namespace: string, pod: string, query: QueryParameters): string {
  let key = `${kind} ${namespace} ${pod}`;
  for (const [name, value] of query.entries()) if (name === 'command') key += `\0${value}`;
  const follow = query.get('follow');
  return follow === 'true' || follow === '1' ? `${key} follow` : key;
}

const API_KINDS: Readonly<Record<string, string>> = lookup({
  exec: 'exec',
  attach: 'attach',
  portforward: 'portforward',
  log: 'log',
});
/** pkg/kubelet/server/server.go */
const KUBELET_KINDS: Readonly<Record<string, string>> = lookup({
  exec: 'exec',
  attach: 'attach',
  portForward: 'portforward',
  containerLogs: 'log',
});
const KUBELET_PATH = /^\/(exec|attach|portForward|containerLogs)\/([^/?]+)\/([^/?]+)((?:\/[^/?]+){0,2})(?:\?(.*))?$/;
