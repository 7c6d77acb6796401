// Tells what wakes a client: by its row in the table of controllers, or because it is a kubelet or an API server.

import { componentNamed } from '../participants/components.js';
import { CONTROLLER_ROWS, LEARNT_QUEUE, OWN_KEYS, type Wakes, type WorkQueue } from './controller-table.js';

/** What wakes a controller, and its queue. */
export interface ControllerProfile extends Wakes {
  /** Resources whose events wake it; null: all. */
  readonly resources: ReadonlySet<string> | null;
  readonly queue: WorkQueue;
  readonly reactsToOwnWrites: boolean;
}

export function profileOf(component: string): ControllerProfile {
  return PROFILES.get(component) ?? (component === 'kubelet' ? KUBELET : ANYTHING);
}

/** @returns undefined: its queue is not modelled. */
export function workQueueOf(component: string): WorkQueue | undefined {
  return PROFILES.get(component)?.queue;
}

/** A user's row of a controller. */
export interface ControllerRule {
  /** The component, as in its User-Agent. */
  readonly name: string;
  /** Resource of the objects whose keys it queues; undefined: its row is learnt, also where the table has one. */
  readonly resource?: string | undefined;
  /** Resources whose events wake it, that one included. */
  readonly wakesOn?: readonly string[];
  /** Kinds of requests that are the last of a turn, `update caches/status`. */
  readonly endsWith?: readonly string[];
}

/** The table with a user's rows, which come before those of Kubernetes. */
export class ControllerRows {
  readonly #own: ReadonlyMap<string, ControllerProfile>;

  /** @param rules several of one name are controllers of one program. */
  constructor(rules: readonly ControllerRule[] = []) {
    const names = [...new Set(rules.map(({ name }) => name))];
    this.#own = new Map(names.map((name) => [name, profileBy(rules.filter((rule) => rule.name === name))]));
  }

  profileOf(component: string): ControllerProfile {
    return this.#own.get(component) ?? profileOf(component);
  }

  /** Whether a client is an operator: a program that no row of Kubernetes' own describes. It may act on objects that nothing relates to its keys. */
  isOperator(component: string): boolean {
    return this.#own.has(component) || this.isToLearn(component);
  }

  /** Whether what wakes a client has to be learnt: it has no row, and is no part of Kubernetes that works otherwise. */
  isToLearn(component: string): boolean {
    return this.profileOf(component) === ANYTHING && componentNamed(component) === undefined;
  }
}

function profileBy(rules: readonly ControllerRule[]): ControllerProfile {
  const keys = new Set(rules.flatMap(({ resource }) => resource ?? []));
  if (keys.size === 0) return ANYTHING;
  const resources = new Set([...keys, ...rules.flatMap(({ wakesOn = [] }) => wakesOn)]);
  const last = rules.flatMap(({ endsWith = [] }) => endsWith);
  return { ...LEARNT, resources, queue: { ...LEARNT_QUEUE, last, isTold: true } };
}

/** Whether a controller acts in a namespace for the Namespace object. */
export function actsForNamespace(component: string): boolean {
  return FOR_NAMESPACES.has(component);
}

/** Whether no controller works on objects of a resource for their own sake: heartbeats, reports. */
export function wakesNobody(resource: string): boolean {
  return resource === 'leases' || resource === 'events';
}

/** Of a client without a row. */
export const ANYTHING: ControllerProfile = {
  resources: null,
  reactsToOwnWrites: false,
  queue: { ...OWN_KEYS, hasTimers: true, reportsInTurn: true },
};

/** Of an operator. */
export const LEARNT: ControllerProfile = {
  ...ANYTHING,
  reactsToOwnWrites: true,
  queue: LEARNT_QUEUE,
};

/**
 * Its own status is no news to it. Another program's status, as a condition for a readiness gate, starts a worker (pkg/kubelet:
 * HandlePodReconcile, NeedToReconcilePodReadiness).
 */
const KUBELET: ControllerProfile = { ...ANYTHING, queue: { ...OWN_KEYS, ignoresOwnWrites: true } };

/** pkg/controller/namespace, serviceaccount, certificates/rootcacertpublisher. */
const FOR_NAMESPACES = new Set(['namespace-controller', 'service-account-controller', 'root-ca-cert-publisher']);

/** By component. */
export const PROFILES: ReadonlyMap<string, ControllerProfile> = new Map(
  Object.entries(CONTROLLER_ROWS).map(([name, [wakesOn, , queue, wakes]]): [string, ControllerProfile] => [
    name,
    {
      ...ANYTHING,
      resources: wakesOn === '*' ? null : new Set(wakesOn.match(/\S+/g)),
      queue: queue ?? OWN_KEYS,
      ...wakes,
    },
  ]),
);

/** Names of the controllers that have a row, as in their User-Agents. */
export const LISTENING_CONTROLLERS: readonly string[] = [...PROFILES.keys()];

const QUEUES = [...PROFILES].map(([name, { queue }]) => [name, queue] as const);

/**
 * The controller that sends a request of a controller manager whose User-Agent was not captured: the only one that sends such requests.
 * @param kind `update deployments/status`. @param owner resource of the owner of the request's object; undefined: it has none.
 */
export function controllerSending(kind: string, owner: string | undefined): string | undefined {
  const senders = SENDERS.get(kind) ?? [];
  const [only, ...others] = senders.length > 1 ? senders.filter(({ resource }) => resource === owner) : senders;
  return others.length === 0 ? only?.controller : undefined;
}

interface Sender {
  readonly controller: string;
  readonly resource: string;
}

/** By kind of request. Controllers with keys of the same resource are left out: one client would have several turns for a key. */
const SENDERS: ReadonlyMap<string, readonly Sender[]> = sendersOf(QUEUES);

function sendersOf(rows: readonly (readonly [string, WorkQueue])[]): Map<string, Sender[]> {
  const senders = new Map<string, Sender[]>();
  for (const [controller, { resource, last, replaces = [] }] of rows) {
    if (resource === '' || rows.filter(([, other]) => other.resource === resource).length > 1) continue;
    for (const kind of [...last, ...replaces])
      senders.set(kind, [...(senders.get(kind) ?? []), { controller, resource }]);
  }
  return senders;
}

/** Resources of which the events of any object add every key of a queue. */
export const FOR_ALL_KEYS: ReadonlySet<string> = new Set([...QUEUES].flatMap(([, { anyOf }]) => anyOf ?? []));
