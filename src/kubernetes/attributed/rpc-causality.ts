// Finds causes across server roles: the API request behind a write into etcd, the write behind an event of an etcd watch, the
// Pod's event behind a kubelet's call of its runtime. Where two causes are possible there is none.

import { RecentMap } from '../../core/collections/bounded.js';
import { entryOf } from '../../core/collections/series-table.js';
import { objectKey } from '../api/object-ref.js';
import type { Draft } from '../messages/draft.js';
import type { Cause, PendingCause } from '../messages/message.js';
import type { Call } from '../observed/grpc/call.js';
import type { RpcPayload } from '../observed/grpc/payload.js';
import type { PodStreams } from '../placed/hops/pod-streams.js';
import type { CausalityTracker } from './causality.js';
import type { FoundRequest } from './open-requests.js';
import type { Write } from './writes.js';

export class RpcCausality {
  readonly #causality: CausalityTracker;
  readonly #writes = new StoreWrites();
  readonly #streams: PodStreams;

  constructor(causality: CausalityTracker, streams: PodStreams) {
    this.#causality = causality;
    this.#streams = streams;
  }

  requestSent(call: Call, message: Draft, what: RpcPayload): void {
    const cause = this.#causeOfRequest(call, message, what);
    if (cause !== null) call.context.cause = cause;
  }

  #causeOfRequest(call: Call, message: Draft, what: RpcPayload): Cause | PendingCause | null {
    const { protocol } = call.context.role;
    if (protocol === 'cri') return this.#causeOfRuntimeCall(call, what);
    if (protocol !== 'etcd') return null;
    if (what.key !== undefined) return this.#causeOfStoreCall(call, message, what, what.key);
    return call.method === 'LeaseGrant' ? this.#causeByTrace(message) : null;
  }

  /** A lease is granted for the object that the next call of the trace writes (k8s.io/apiserver pkg/storage/etcd3: leaseManager.GetLease). */
  #causeByTrace({ traceparent }: Draft): PendingCause | null {
    if (traceparent === undefined) return null;
    return (deadlinePassed) => {
      const traced = this.#causality.traces.requestOf(traceparent);
      return traced === undefined ? (deadlinePassed ? null : undefined) : madeFor(traced.seq, traced.certain);
    };
  }

  #causeOfRuntimeCall(call: Call, what: RpcPayload): Cause | null {
    if (ACTING.has(call.method) && what.object?.uid != null)
      return this.#causality.triggerOf(what.object.uid, call.client);
    if (what.name === undefined) return null;
    const seq = this.#streams.observeCall(call.method, what.namespace ?? '', what.name, what.container);
    return seq === undefined ? null : { seq, how: 'stream', certain: false };
  }

  #causeOfStoreCall(call: Call, message: Draft, what: RpcPayload, key: string): Cause | PendingCause | null {
    const { traces } = this.#causality;
    const traced = traces.requestOf(message.traceparent);
    const { changes } = what;
    if (changes !== null) {
      call.change = { key, seq: message.seq, revision: undefined };
      this.#writes.observeRequest(key, message.seq);
    }
    if (traced !== undefined) return madeFor(traced.seq, traced.certain);
    const candidates = changes === null ? [] : this.#candidates(what);
    const [only] = candidates;
    if (only === undefined) {
      const open = this.#openRequest(call, what, changes !== null);
      if (open === undefined) return null;
      traces.learn(message.traceparent, open.request.seq, open.isOnly);
      return madeFor(open.request.seq, open.isOnly);
    }
    // A delete that is answered with 404 deleted nothing: the API server does by itself what others request, too.
    if (candidates.length === 1)
      return only.deletes
        ? (deadlinePassed) => {
            if (only.state === 'failed') return null;
            return only.state === 'done' || deadlinePassed ? madeFor(only.seq, only.state === 'done') : undefined;
          }
        : madeFor(only.seq, true);
    return (deadlinePassed) => {
      const revision = call.change?.revision;
      const carriedOut = candidates.find((write) => revision !== undefined && write.resourceVersion === revision);
      if (carriedOut !== undefined) {
        traces.learn(message.traceparent, carriedOut.seq);
        return madeFor(carriedOut.seq, true);
      }
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
    this.#writes.observeResponse(change.key, change.seq, change.revision);
  }

  /** The write behind an event on a watch of etcd; null: none, as far as is known. */
  writeBehind(message: Draft, { key, revision }: RpcPayload): Cause | PendingCause | null {
    if (key === undefined || revision === undefined) return null;
    const writeBehind: PendingCause = (deadlinePassed) => {
      const write = this.#writes.writerOf(key, revision);
      if (write === 'pending') return deadlinePassed ? null : undefined;
      return write !== undefined && write < message.seq ? { seq: write, how: 'write', certain: true } : null;
    };
    const cause = writeBehind(false);
    return cause === undefined ? writeBehind : cause;
  }

  /** The API request for the same object, or for its collection, that the API server is answering. */
  #openRequest(
    { client }: Call,
    { resource, apiGroup, namespace, name }: RpcPayload,
    writes: boolean,
  ): FoundRequest | undefined {
    if (resource === undefined) return undefined;
    const { openRequests } = this.#causality;
    // The API server's own loops ask for the revision of a collection as well.
    if (name === undefined) {
      const found = writes
        ? undefined
        : openRequests.reader(objectKey(resource, apiGroup ?? '', undefined, ''), client);
      return found && { ...found, isOnly: false };
    }
    const key = objectKey(resource, apiGroup ?? '', namespace, name);
    return writes ? openRequests.writer(key, client) : openRequests.reader(key, client);
  }

  #candidates({ resource, apiGroup, namespace, name, object, changes }: RpcPayload): readonly Write[] {
    if (resource === undefined || name === undefined) return [];
    const key = objectKey(resource, apiGroup ?? '', namespace, name);
    return this.#causality.pendingWrites({ key, uid: object?.uid ?? undefined }, changes === 'creates');
  }
}

/** A call of the store, for an API request. */
function madeFor(seq: number, certain: boolean): Cause {
  return { seq, how: 'store', certain };
}

/** Calls of a kubelet that change something; the others read. */
const ACTING = new Set([
  ...['RunPodSandbox', 'StopPodSandbox', 'RemovePodSandbox', 'UpdatePodSandboxResources', 'PullImage'],
  ...['CreateContainer', 'StartContainer', 'StopContainer', 'RemoveContainer', 'UpdateContainerResources'],
]);

interface StoreWrite {
  /** Number of the request's message. */
  readonly seq: number;
  /** undefined: no response yet; null: nothing was written. */
  revision: string | null | undefined;
}

export class StoreWrites {
  readonly #byKey = new RecentMap<string, StoreWrite[]>(MAX_KEYS);

  observeRequest(key: string, seq: number): void {
    const writes = entryOf(this.#byKey, key, () => []);
    writes.push({ seq, revision: undefined });
    if (writes.length > MAX_WRITES) writes.shift();
  }

  observeResponse(key: string, seq: number, revision: string | null): void {
    const write = this.#byKey.get(key)?.find((candidate) => candidate.seq === seq);
    if (write !== undefined) write.revision = revision;
  }

  /** @returns `seq` of the request; `pending`: it may be a request without a response yet; undefined: it was not captured. */
  writerOf(key: string, revision: string): number | 'pending' | undefined {
    const writes = this.#byKey.get(key);
    if (writes === undefined) return undefined;
    const write = writes.find((candidate) => candidate.revision === revision);
    if (write !== undefined) return write.seq;
    return writes.some((candidate) => candidate.revision === undefined) ? 'pending' : undefined;
  }
}

/** Limit: etcd keys whose last writes are known: those that a busy API server writes in a minute; events follow their write at once. */
const MAX_KEYS = 20_000;
/** Limit: last writes of one key that are known: their events may still come. */
const MAX_WRITES = 16;
