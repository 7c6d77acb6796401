// Relates the hops of exec, attach, port-forward and logs: the API server repeats a client's request to the kubelet, and the kubelet
// calls its runtime, which returns a URL that the kubelet streams to. Requests that are equal in everything are matched in their order.
// The URL holds a token that is valid for a minute: it is compared and never shown.
//
//   GET|POST /api/v1/namespaces/NS/pods/POD/exec?command=…&container=C      →  POST /exec/NS/POD[/UID]/C?command=…
//   GET|POST /api/v1/namespaces/NS/pods/POD/attach?container=C              →  POST /attach/NS/POD[/UID]/C
//   GET|POST /api/v1/namespaces/NS/pods/POD/portforward                     →  POST /portForward/NS/POD[/UID]
//   GET      /api/v1/namespaces/NS/pods/POD/log?container=C&follow=true     →  GET  /containerLogs/NS/POD/C?follow=true
//   (pkg/registry/core/pod/strategy.go: ExecLocation, AttachLocation, PortForwardLocation, LogLocation)
//
//   POST /exec/NS/POD[/UID]/C   →   RuntimeService/Exec   →   { url: http://127.0.0.1:PORT/exec/TOKEN }   →   POST /exec/TOKEN
//   (k8s.io/kubelet/pkg/cri/streaming/server.go; a socket's calls are not in a capture: then the only request that is out)

import { RecentMap } from '../../../core/collections/bounded.js';
import { dictionary } from '../../../core/collections/dictionary.js';
import { qualifiedName } from '../../api/object-ref.js';
import { QueryParameters } from '../../api/request-target.js';
import { RUNTIME_STREAM } from '../../api/server-roles.js';
import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext, RuntimeStream } from '../../messages/exchange-context.js';
import type { ServedRequest, ServedRequests } from './served-requests.js';

export class PodStreams {
  readonly #served: ServedRequests;
  /** By path of the URL. */
  readonly #announced = new RecentMap<string, RuntimeStream>(MAX_RUNTIME_STREAMS);

  constructor(served: ServedRequests) {
    this.#served = served;
  }

  /**
   * A request: to an API server it waits for its second hop; to a kubelet or a runtime it gets its cause and its object.
   *
   * @param target as on the wire.
   */
  observeRequest(context: ExchangeContext, message: Draft, target: string | undefined): void {
    const { info, stream } = context;
    if (info !== null) {
      const kind = info.resource === 'pods' ? (info.subresource ?? '') : '';
      if (!KINDS.has(kind) || info.name === undefined) return;
      const key = keyOf(kind, info.namespace ?? '', info.name, info.query);
      // Without a container the API server takes the Pod's only, or annotated, one.
      this.#served.add(context, message, [key], info.query.get('container'));
    } else if (context.role.protocol === 'kubelet' && target !== undefined) this.#secondHop(context, message, target);
    else if (stream != null) aboutPod(context, message, stream, stream.seq);
  }

  /**
   * A kubelet calls its runtime.
   * @returns `seq` of the request to the kubelet; undefined: none that is known, or another call.
   */
  observeCall(method: string, namespace: string, pod: string, container: string | undefined): number | undefined {
    return this.#served.match(`call ${method} ${qualifiedName(namespace, pod)}`, isOf(container))?.message.seq;
  }

  /** The runtime returns the URL of a stream. @param url of the response. */
  observeUrl(url: string, stream: Omit<RuntimeStream, 'kind'>): void {
    const address = ADDRESS.exec(url);
    if (address === null) return;
    const [, path, kind] = address;
    this.#announced.set(path, { ...stream, kind });
  }

  /** Where a stream to a runtime comes from; null: not known. @param target as on the wire. */
  streamTo(target: string): RuntimeStream | null {
    const known = this.#announced.get(target);
    if (known !== undefined) {
      this.#announced.delete(target);
      return known;
    }
    const kind = RUNTIME_STREAM.exec(target)?.[1];
    const [only, ...others] = this.#served.all(`runtime ${kind}`);
    if (only === undefined || others.length > 0) return null;
    this.#served.take(only);
    const { seq, namespace, name } = only.message;
    return { seq, kind: kind!, namespace: namespace!, pod: name!, kubelet: only.context.server, runtime: null };
  }

  #secondHop(context: ExchangeContext, message: Draft, target: string): void {
    const found = KUBELET_PATH.exec(target);
    if (found === null) return;
    const [, path, namespace, pod, rest, query] = found;
    const kind = KUBELET_KINDS[path];
    // The container stands last; before it may stand the Pod's uid. A port-forward is a Pod's.
    const container = kind === 'portforward' ? undefined : rest.slice(rest.lastIndexOf('/') + 1);
    const first = this.#served.match(keyOf(kind, namespace, pod, new QueryParameters(query ?? '')), isOf(container));
    aboutPod(context, message, { kind, namespace, pod }, first?.message.seq);
    const call = CALLS[kind];
    if (call !== undefined)
      this.#served.add(
        context,
        message,
        [`call ${call} ${qualifiedName(namespace, pod)}`, `runtime ${kind}`],
        container,
      );
  }
}

/** @param seq of the hop before; undefined: not known. */
function aboutPod(
  context: ExchangeContext,
  message: Draft,
  { kind, namespace, pod }: Pick<RuntimeStream, 'kind' | 'namespace' | 'pod'>,
  seq: number | undefined,
): void {
  message.resource = 'pods';
  message.subresource = kind;
  message.namespace = namespace;
  message.name = pod;
  if (seq !== undefined) context.cause = { seq, how: 'stream', certain: false };
}

/** Whether a target is one that an API server requests of a kubelet for a client. */
export function isSecondHop(target: string): boolean {
  return KUBELET_PATH.test(target);
}

/** What is equal on both hops: Pod, subresource, command. */
function keyOf(kind: string, namespace: string, pod: string, query: QueryParameters): string {
  let key = `stream ${kind} ${qualifiedName(namespace, pod)}`;
  for (const [name, value] of query.entries()) if (name === 'command') key += `\0${value}`;
  const follow = query.get('follow');
  return follow === 'true' || follow === '1' ? `${key} follow` : key;
}

/** Fits a request for a container, as far as both name one. */
function isOf(container: string | undefined): (request: ServedRequest) => boolean {
  return ({ detail }) => detail === undefined || container === undefined || detail === container;
}

/** pkg/kubelet/server/server.go */
const KUBELET_KINDS: Readonly<Record<string, string>> = dictionary({
  exec: 'exec',
  attach: 'attach',
  portForward: 'portforward',
  containerLogs: 'log',
});
/** Subresources of Pods that a kubelet serves. */
const KINDS: ReadonlySet<string> = new Set(Object.values(KUBELET_KINDS));
/** The calls that they become. */
const CALLS: Readonly<Record<string, string>> = dictionary({
  exec: 'Exec',
  attach: 'Attach',
  portforward: 'PortForward',
});
const KUBELET_PATH = /^\/(exec|attach|portForward|containerLogs)\/([^/?]+)\/([^/?]+)((?:\/[^/?]+){0,2})(?:\?(.*))?$/;
const ADDRESS = /^https?:\/\/[^/]+(\/(exec|attach|portforward)\/[^/?]+)$/;
/** Limit: URLs of streams to runtimes that were not streamed to yet. */
export const MAX_RUNTIME_STREAMS = 1000;
