// Finds causes across server roles: the API request behind a write into etcd, the write behind an event of an etcd watch, the
// Pod's event behind a kubelet's call of its runtime. Where two causes are possible there is none.

import { type ObjectRef, objectKey } from '../api/object-ref.js';
import type { CausalityTracker } from '../causality/causality.js';
import type { CauseSource, PendingCause } from '../causality/cause.js';
import type { Write } from '../causality/writes.js';
import type { ExchangeContext } from '../exchange-context.js';
import { ExchangeState } from '../exchange-state.js';
import type { RuntimeStreams } from '../hops/runtime-streams.js';
import type { Draft } from '../messages/draft.js';
import type { Call } from './call.js';
import { StoreWrites } from './etcd/store-writes.js';
import type { RpcPayload } from './payload.js';

/** Of requests, until their exchanges end. */
const CAUSES = new ExchangeState<number | PendingCause>();

export class RpcCausality implements CauseSource {
  readonly #causality: CausalityTracker;
  /** The event of a watch of etcd that was observed last, and the write behind it. */
  #event: { readonly message: Draft; readonly cause: number | PendingCause | null } | null = null;
  readonly #writes = new StoreWrites();
  readonly #streams: RuntimeStreams;

  constructor(causality: CausalityTracker, streams: RuntimeStreams) {
    this.#causality = causality;
    this.#streams = streams;
  }

  causeOf(message: Draft, context: ExchangeContext): number | PendingCause | null {
    if (message.kind === 'request') return CAUSES.of(context) ?? null;
    return message === this.#event?.message ? this.#event.cause : null;
  }

  requestSent(call: Call, message: Draft, what: RpcPayload): void {
    const cause = this.#causeOfRequest(call, message, what);
    if (cause != null) CAUSES.set(call.context, cause);
  }

  #causeOfRequest(call: Call, message: Draft, what: RpcPayload): number | PendingCause | null | undefined {
    const { protocol } = call.context.role;
    if (protocol === 'cri') {
      if (ACTING.has(call.method) && what.object?.uid != null)
        return this.#causality.triggerOf(what.object.uid, call.client);
      if (what.name === undefined) return null;
      return this.#streams.observeCall(call.method, what.namespace ?? '', what.name, what.container);
    }
    if (protocol !== 'etcd' || what.changes === null || what.key === undefined) return null;
    call.change = { key: what.key, seq: message.seq, revision: undefined };
    this.#writes.sent(what.key, message.seq);
    const candidates = this.#candidates(what);
    if (candidates.length <= 1) return candidates[0]?.seq;
    return (deadlinePassed) => {
      const revision = call.change?.revision;
      const carriedOut = candidates.find((write) => revision !== undefined && write.resourceVersion === revision);
      if (carriedOut !== undefined) return carriedOut.seq;
      const isDecided = revision === null || candidates.every((write) => write.state !== 'pending');
      return isDecided || deadlinePassed ? null : undefined;
    };
  }

  /** @param failed nothing was written. */
  answered(call: Call, what: RpcPayload, failed: boolean): void {
    const { change, context } = call;
    if (what.url !== undefined && what.name !== undefined && context.requestSeq !== undefined) {
      const about = { seq: context.requestSeq, namespace: what.namespace ?? '', pod: what.name };
      this.#streams.observeUrl(what.url, { ...about, kubelet: call.client, runtime: context.server });
    }
    if (change === null) return;
    change.revision = failed || what.succeeded === false ? null : (what.revision ?? null);
    this.#writes.answered(change.key, change.seq, change.revision);
  }

  /** An event on a watch of etcd. */
  eventReceived(message: Draft, what: RpcPayload): void {
    this.#event = null;
    const { key, revision } = what;
    if (key === undefined || revision === undefined) return;
    const writeBehind: PendingCause = (deadlinePassed) => {
      const write = this.#writes.of(key, revision);
      if (write === 'pending') return deadlinePassed ? null : undefined;
      return write !== undefined && write < message.seq ? write : null;
    };
    const cause = writeBehind(false);
    this.#event = { message, cause: cause === undefined ? writeBehind : cause };
  }

  #candidates({ resource, apiGroup, namespace, name, object, changes }: RpcPayload): readonly Write[] {
    if (resource === undefined || name === undefined) return [];
    // A Namespace is in none, but requests about it fill both.
    for (const ownNamespace of resource === 'namespaces' ? [namespace, undefined] : [namespace]) {
      const ref: ObjectRef = {
        key: objectKey(resource, apiGroup ?? '', ownNamespace, name),
        uid: object?.uid ?? undefined,
      };
      const found = this.#causality.pendingWrites(ref, changes === 'creates');
      if (found.length > 0) return found;
    }
    return [];
  }
}

/** Calls of a kubelet that change something; the others read. */
const ACTING = new Set([
  'RunPodSandbox',
  'PullImage',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'StopPodSandbox',
  'RemovePodSandbox',
  'UpdateContainerResources',
  'UpdatePodSandboxResources',
]);
