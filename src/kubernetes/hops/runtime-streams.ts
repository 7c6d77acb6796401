// Relates the last hops of exec, attach and port-forward: the kubelet calls its runtime, which returns a URL that the kubelet streams to.
// The URL holds a token that is valid for a minute: it is compared and never shown.
//
//   POST /exec/NS/POD[/UID]/C   →   RuntimeService/Exec   →   { url: http://127.0.0.1:PORT/exec/TOKEN }   →   POST /exec/TOKEN
//   (k8s.io/kubelet/pkg/cri/streaming/server.go; a socket's calls are not in a capture: then the only request that is out)

import { RecentMap } from '../../core/collections/bounded.js';
import { dictionary } from '../../core/collections/dictionary.js';
import { RUNTIME_STREAM } from '../api/server-roles.js';
import type { ExchangeContext } from '../exchange-context.js';
import { ExchangeState } from '../exchange-state.js';
import type { ParticipantRecord } from '../identity/participant-record.js';

/** Limit: execs, attaches and port-forwards that wait for their hop to the runtime, and URLs that were not streamed to yet. */
export const MAX_RUNTIME_STREAMS = 1000;

/** A request to a kubelet that may open a stream to a runtime. */
export interface KubeletRequest {
  readonly context: ExchangeContext;
  readonly seq: number;
  readonly kind: string;
  readonly namespace: string;
  readonly pod: string;
  /** undefined: a port-forward is a Pod's. */
  readonly container: string | undefined;
}

/** Where a stream comes from. */
export interface RuntimeStream {
  /** seq of the call, or of the request to the kubelet where the call was not captured. */
  readonly seq: number;
  readonly kind: string;
  readonly namespace: string;
  readonly pod: string;
  readonly kubelet: ParticipantRecord;
  /** null: not known but by its address. */
  readonly runtime: ParticipantRecord | null;
}

/** Streams to runtimes that go on. */
const STREAMS = new ExchangeState<RuntimeStream>();

export class RuntimeStreams {
  /** Oldest first. */
  readonly #waiting = new RecentMap<ExchangeContext, KubeletRequest>(MAX_RUNTIME_STREAMS);
  /** By path. */
  readonly #streams = new RecentMap<string, RuntimeStream>(MAX_RUNTIME_STREAMS);

  /** A request to a kubelet. */
  observeRequest(request: KubeletRequest): void {
    if (!Object.hasOwn(CALLS, request.kind)) return;
    this.#waiting.set(request.context, request);
  }

  /**
   * A kubelet calls its runtime.
   * @returns `seq` of the request to the kubelet; undefined: none that is known, or another call.
   */
  observeCall(method: string, namespace: string, pod: string, container: string | undefined): number | undefined {
    for (const one of this.#waiting.values()) {
      if (CALLS[one.kind] !== method || one.namespace !== namespace || one.pod !== pod) continue;
      if (one.container !== undefined && container !== undefined && one.container !== container) continue;
      this.#waiting.delete(one.context);
      return one.seq;
    }
    return undefined;
  }

  /** The runtime returns the URL of a stream. @param url of the response. */
  observeUrl(url: string, stream: Omit<RuntimeStream, 'kind'>): void {
    const address = ADDRESS.exec(url);
    if (address === null) return;
    const [, path, kind] = address;
    this.#streams.set(path, { ...stream, kind });
  }

  /** Where a stream to a runtime comes from; null: not known. @param target as on the wire. */
  streamTo(target: string): RuntimeStream | null {
    const known = this.#streams.get(target);
    if (known !== undefined) {
      this.#streams.delete(target);
      return known;
    }
    const kind = RUNTIME_STREAM.exec(target)?.[1];
    const possible = [...this.#waiting.values()].filter((one) => one.kind === kind);
    if (possible.length !== 1) return null;
    const [{ context, seq, namespace, pod }] = possible;
    this.#waiting.delete(context);
    return { seq, kind: kind!, namespace, pod, kubelet: context.server, runtime: null };
  }

  /** An exchange turned out to be a stream to a runtime. */
  opened(context: ExchangeContext, stream: RuntimeStream): void {
    STREAMS.set(context, stream);
  }

  /** The stream that an exchange is; undefined: none, or one of which nothing more is known. */
  of(context: ExchangeContext): RuntimeStream | undefined {
    return STREAMS.of(context);
  }

  /** The kubelet has answered. */
  answered(context: ExchangeContext): void {
    this.#waiting.delete(context);
  }

  exchangeEnded(context: ExchangeContext): void {
    this.#waiting.delete(context);
  }
}

/** Subresources, and the calls that they become. */
const CALLS: Readonly<Record<string, string>> = dictionary({
  exec: 'Exec',
  attach: 'Attach',
  portforward: 'PortForward',
});
const ADDRESS = /^https?:\/\/[^/]+(\/(exec|attach|portforward)\/[^/?]+)$/;
