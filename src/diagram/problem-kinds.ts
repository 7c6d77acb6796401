// Weighs problems by their kind, and tells which of them are usual while a cluster starts: two tables with their sources.

import { BoundedMap } from '../core/collections/bounded.js';
import { dictionary } from '../core/collections/dictionary.js';
import { serverOf } from '../core/connection-name.js';
import { qualifiedName } from '../kubernetes/api/object-ref.js';
import type { Message, StatusProblem } from '../kubernetes/messages/message.js';

/** Heaviest first. */
export const PROBLEM_KINDS = [
  'crash',
  'unreachable',
  'cut',
  'leader change',
  'failed',
  'refused',
  'evicted',
  'deadline',
  'status',
  'warning',
  'start-up',
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** @returns heaviest first, of one weight in the order of time. */
export function heaviestFirst<P extends { readonly kind: ProblemKind; readonly time: bigint }>(
  problems: readonly P[],
): readonly P[] {
  return problems.toSorted((a, b) => WEIGHTS[a.kind] - WEIGHTS[b.kind] || (a.time < b.time ? -1 : 1));
}

export function kindOfStatus(resource: string | undefined, { of, state, reason }: StatusProblem): ProblemKind {
  const known = KIND_OF_REASON[reason];
  if (known !== undefined) return known;
  if (state === 'terminated') return 'crash';
  return resource === 'nodes' && of === 'condition Ready' ? 'unreachable' : 'status';
}

/** @param reason of a Warning. */
export function kindOfWarning(reason: string): ProblemKind {
  return KIND_OF_REASON[reason] ?? 'warning';
}

/** @param status of an answer, from 400 on. */
export function kindOfAnswer(status: number): ProblemKind {
  if (status === GATEWAY_TIMEOUT) return 'deadline';
  return status >= 500 ? 'failed' : 'refused';
}

/** Knows what is starting, message by message. */
export class StartUps {
  /** Server → when it last refused a connection, or said that its start is not complete, and not since that it is; ns. */
  readonly #starting = new BoundedMap<string, bigint>(MAX_SERVERS, 'servers that start');
  /** Pod → when a container of it started, ns. */
  readonly #started = new BoundedMap<string, bigint>(MAX_PODS, 'Pods that start');

  /** @param target of the request that `message` answers; undefined: it is no answer. */
  observe({ kind, connection, status = 0, statusMessage, k8sEvent, time }: Message, target?: string): void {
    if (kind === 'response' && target !== undefined && READINESS.test(target)) {
      if (status >= 500 && statusMessage?.includes(HOOK) === true) this.refused(serverOf(connection), time);
      else if (status === OK) this.#starting.delete(serverOf(connection));
    }
    if (k8sEvent?.reason === 'Started') this.#started.set(qualifiedName(k8sEvent.namespace, k8sEvent.name), time);
  }

  /** @param server address and port. @param time ns. */
  refused(server: string, time: bigint): void {
    this.#starting.set(server, time);
  }

  /** @returns the row by which the problem that a message shows is usual; undefined: it is not. */
  usual(message: Message, target: string | undefined): StartUpRow | undefined {
    const { connection, k8sEvent, time } = message;
    const isSoonAfter = (began: bigint | undefined): boolean => began !== undefined && time - began <= SOON_NS;
    const facts: StartUpFacts = {
      message,
      target,
      isServerStarting: isSoonAfter(this.#starting.get(serverOf(connection))),
      isPodStarting:
        k8sEvent !== undefined && isSoonAfter(this.#started.get(qualifiedName(k8sEvent.namespace, k8sEvent.name))),
    };
    return START_UP.find((row) => row.matches(facts));
  }
}

interface StartUpFacts {
  readonly message: Message;
  readonly target: string | undefined;
  readonly isServerStarting: boolean;
  readonly isPodStarting: boolean;
}

export interface StartUpRow {
  /** For readers. */
  readonly why: string;
  /** File of Kubernetes. */
  readonly source: string;
  readonly matches: (facts: StartUpFacts) => boolean;
  /** Only if the same client's request succeeds later. */
  readonly passes?: true;
}

/** Warnings of a kubelet about its node, which each start repeats. */
const NODE_WARNINGS = new Set(['CgroupV1', 'InvalidDiskCapacity', 'CheckLimitsForResolvConf', 'MemoryBackedVolumes']);
const FORBIDDEN = 403;
/** google.rpc.Code */
const UNIMPLEMENTED = 12;
const GATEWAY_TIMEOUT = 504;
const OK = 200;
const READINESS = /^\/(?:readyz|livez|healthz)\b/;
const HOOK = 'poststarthook/';
/** ns: a readiness probe may fail three times, each after ten seconds, by default (k8s.io/api, core/v1: Probe). */
const SOON_NS = 30_000_000_000n;

/** What is usual while a cluster, or a container, starts. A further case is a further row. */
export const START_UP: readonly StartUpRow[] = [
  {
    why: 'an API server is not ready until the hooks that follow its start are done',
    source: 'staging/src/k8s.io/apiserver/pkg/server/hooks.go: postStartHookHealthz',
    matches: ({ message, target = '' }) =>
      READINESS.test(target) && (message.status ?? 0) >= 500 && (message.statusMessage ?? '').includes(HOOK),
  },
  {
    why: 'an API server refuses until it has made, and read, the roles of its components',
    source: 'pkg/registry/rbac/rest/storage_rbac.go: PostStartHook',
    matches: ({ message: { status, to }, isServerStarting }) =>
      status === FORBIDDEN && to.tier !== 'people' && isServerStarting,
    passes: true,
  },
  {
    why: 'a kubelet warns of its node each time it starts',
    source: 'pkg/kubelet/kubelet.go: initializeModules, BirthCry; pkg/kubelet/images/image_gc_manager.go: freeSpace',
    matches: ({ message: { k8sEvent } }) => k8sEvent?.kind === 'Node' && NODE_WARNINGS.has(k8sEvent.reason),
  },
  {
    why: 'a container that has just started is not ready for its first probes',
    source: 'pkg/kubelet/prober/prober.go: recordContainerEvent',
    matches: ({ message: { k8sEvent }, isPodStarting }) =>
      k8sEvent?.reason === 'Unhealthy' && !k8sEvent.message.startsWith('Liveness') && isPodStarting,
  },
  {
    why: 'a kubelet asks its runtime for what older ones do not have',
    source: 'pkg/kubelet/kubelet.go: getRuntimeConfig',
    matches: ({ message: { protocol, grpcStatus } }) => protocol === 'cri' && grpcStatus === UNIMPLEMENTED,
  },
  {
    why: 'a node is not ready when it is registered',
    source: 'pkg/kubelet/kubelet_node_status.go: registerWithAPIServer',
    matches: ({ message: { verb, resource } }) => verb === 'create' && resource === 'nodes',
  },
];

const WEIGHTS = Object.fromEntries(PROBLEM_KINDS.map((kind, weight) => [kind, weight])) as Readonly<
  Record<ProblemKind, number>
>;

/**
 * Reasons of statuses and Events (pkg/kubelet/events/event.go; pkg/kubelet/kuberuntime; k8s.io/api: core/v1 PodReason…,
 * batch/v1 JobReason…; pkg/controller/deployment/util; pkg/util/taints; pkg/scheduler/framework/preemption).
 */
const KIND_OF_REASON: Readonly<Record<string, ProblemKind>> = dictionary({
  CrashLoopBackOff: 'crash',
  OOMKilled: 'crash',
  OOMKilling: 'crash',
  SystemOOM: 'crash',
  NodeNotReady: 'unreachable',
  Evicted: 'evicted',
  EvictedByVPA: 'evicted',
  EvictionByEvictionAPI: 'evicted',
  TaintManagerEviction: 'evicted',
  DeletionByTaintManager: 'evicted',
  DeletionByPodGC: 'evicted',
  TerminationByKubelet: 'evicted',
  PreemptionByScheduler: 'evicted',
  Preempted: 'evicted',
  Preempting: 'evicted',
  DeadlineExceeded: 'deadline',
  ProgressDeadlineExceeded: 'deadline',
  BackoffLimitExceeded: 'deadline',
});
/** Limit: API servers that are starting at a time. */
const MAX_SERVERS = 1000;
/** Limit: Pods with a container that has started. */
const MAX_PODS = 10_000;
