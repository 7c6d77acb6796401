// Relates the first two hops of exec, attach, port-forward and logs: the API server repeats a client's request to the kubelet. Requests
// that are equal in everything are matched in their order.
//
//   GET|POST /api/v1/namespaces/NS/pods/POD/exec?command=…&container=C      →  POST /exec/NS/POD[/UID]/C?command=…
//   GET|POST /api/v1/namespaces/NS/pods/POD/attach?container=C              →  POST /attach/NS/POD[/UID]/C
//   GET|POST /api/v1/namespaces/NS/pods/POD/portforward                     →  POST /portForward/NS/POD[/UID]
//   GET      /api/v1/namespaces/NS/pods/POD/log?container=C&follow=true     →  GET  /containerLogs/NS/POD/C?follow=true
//   (pkg/registry/core/pod/strategy.go: ExecLocation, AttachLocation, PortForwardLocation, LogLocation)

import { dictionary } from '../../core/collections/dictionary.js';
import { QueryParameters } from '../api/request-target.js';
import type { CauseSource } from '../causality/cause.js';
import type { ExchangeContext } from '../exchange-context.js';
import { ExchangeState } from '../exchange-state.js';
import type { Draft } from '../messages/draft.js';
import type { Cause } from '../messages/message.js';
import { PendingForwards } from './forwarded-requests.js';
import type { RuntimeStream, RuntimeStreams } from './runtime-streams.js';

/** `seq` of the hop before, of requests to kubelets and runtimes. */
const CAUSES = new ExchangeState<number>();

export class StreamingHops implements CauseSource {
  readonly #runtime: RuntimeStreams;
  readonly #firstHops = new PendingForwards();

  constructor(runtime: RuntimeStreams) {
    this.#runtime = runtime;
  }

  /**
   * A request: to an API server it waits for its second hop; to a kubelet it gets its cause and its object.
   *
   * @param target as on the wire.
   */
  observeRequest(context: ExchangeContext, message: Draft, target: string | undefined): void {
    const { info } = context;
    if (info !== null) {
      const kind = info.resource === 'pods' ? API_KINDS[info.subresource ?? ''] : undefined;
      if (kind === undefined || info.name === undefined) return;
      this.#firstHops.add(keyOf(kind, info.namespace ?? '', info.name, info.query), context, message.seq);
      return;
    }
    if (context.role.protocol === 'kubelet' && target !== undefined) this.#secondHop(context, message, target);
    const stream = this.#runtime.of(context);
    if (stream !== undefined) this.#lastHop(stream, context, message);
  }

  causeOf({ kind }: Draft, context: ExchangeContext): Cause | null {
    const seq = kind === 'request' ? CAUSES.of(context) : undefined;
    return seq === undefined ? null : { seq, how: 'stream', certain: false };
  }

  exchangeEnded(context: ExchangeContext): void {
    this.#runtime.exchangeEnded(context);
    this.#firstHops.exchangeEnded(context);
  }

  #secondHop(context: ExchangeContext, message: Draft, target: string): void {
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
    this.#runtime.observeRequest({ context, seq: message.seq, kind, namespace, pod, container });
    const key = keyOf(kind, namespace, pod, new QueryParameters(query ?? ''));
    const observeRequest = this.#firstHops.match(key, ({ info }) => {
      // Without one the API server takes the Pod's only, or annotated, container.
      const named = info?.query.get('container');
      return named === undefined || container === undefined || named === container;
    });
    if (observeRequest !== undefined) CAUSES.set(context, observeRequest.seq);
  }

  #lastHop({ seq, kind, namespace, pod }: RuntimeStream, context: ExchangeContext, message: Draft): void {
    message.resource = 'pods';
    message.subresource = kind;
    message.namespace = namespace;
    message.name = pod;
    CAUSES.set(context, seq);
  }
}

/** Whether a target is one that an API server requests of a kubelet for a client. */
export function isSecondHop(target: string): boolean {
  return KUBELET_PATH.test(target);
}

/** What is equal on both hops: Pod, subresource, command. */
function keyOf(kind: string, namespace: string, pod: string, query: QueryParameters): string {
  let key = `${kind} ${namespace} ${pod}`;
  for (const [name, value] of query.entries()) if (name === 'command') key += `\0${value}`;
  const follow = query.get('follow');
  return follow === 'true' || follow === '1' ? `${key} follow` : key;
}

const API_KINDS: Readonly<Record<string, string>> = dictionary({
  exec: 'exec',
  attach: 'attach',
  portforward: 'portforward',
  log: 'log',
});
/** pkg/kubelet/server/server.go */
const KUBELET_KINDS: Readonly<Record<string, string>> = dictionary({
  exec: 'exec',
  attach: 'attach',
  portForward: 'portforward',
  containerLogs: 'log',
});
const KUBELET_PATH = /^\/(exec|attach|portForward|containerLogs)\/([^/?]+)\/([^/?]+)((?:\/[^/?]+){0,2})(?:\?(.*))?$/;
