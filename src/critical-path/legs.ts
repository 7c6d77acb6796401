// Divides the time between a message and the one that it led to, by what is known of the program in between.

import { dictionary } from '../core/collections/dictionary.js';
import type { MessageIndex } from '../diagram/message-index.js';
import { requestWords } from '../diagram/verbs.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { PathLeg } from './model.js';

/** @param to was caused by `from`, or answers it. @returns legs from the one to the other without a gap. */
export function legsBetween(from: Message, to: Message, index: MessageIndex): readonly PathLeg[] {
  if (from.kind === 'request') return inServer(from, to, index);
  return to.from.component === KUBELET && to.kind === 'request'
    ? inKubelet(from, to, index)
    : [leg(from, to, to.from.name, reaction(to))];
}

/** From a request to its answer, or to the event that tells of it: webhooks are called one after the other. */
function inServer(request: Message, to: Message, index: MessageIndex): readonly PathLeg[] {
  const server = request.to.name;
  const what =
    to.kind === 'response'
      ? `answers ${requestWords(request)}`
      : `${requestWords(request)}, delivered to ${to.to.name}`;
  const calls: Border[] = [];
  for (const { request: call, response } of index.exchanges.values()) {
    if (call?.causedBy !== request.seq || call.to.tier !== 'extensions' || response === undefined) continue;
    calls.push({ at: call, who: server, what }, { at: response, who: call.to.name, what: 'is asked' });
  }
  return between(request, to, calls, { who: server, what });
}

/** What a kubelet does for a Pod: calls of its runtime, else what it reports. */
function inKubelet(event: Message, to: Message, index: MessageIndex): readonly PathLeg[] {
  const who = to.from.name;
  const isOfPod: IsOfPod = ({ namespace, name }) => name === to.name && (namespace ?? null) === (to.namespace ?? null);
  const calls = runtimeCalls(who, isOfPod, index);
  const rest = LAST[requestWords(to)] ?? `works, or waits, until it sends ${requestWords(to)}`;
  if (calls.length === 0) return between(event, to, kubeletReports(who, isOfPod, index), { who, what: rest });
  const isRetrying = calls.findLast(({ at }) => at.time < to.time)?.hasFailed === true;
  return between(event, to, calls, { who, what: isRetrying ? BACK_OFF : rest });
}

type IsOfPod = (one: { readonly namespace?: string | null; readonly name?: string | null }) => boolean;

/**
 * Two borders for each call: where it began, and where it ended. A kubelet backs off from the same image, and from the same container
 * (pkg/kubelet/images/image_manager.go, pkg/kubelet/kuberuntime/kuberuntime_manager.go: doBackOff); calls for others do not wait.
 */
function runtimeCalls(who: string, isOfPod: IsOfPod, index: MessageIndex): readonly CallBorder[] {
  const borders: CallBorder[] = [];
  let failed: string | null = null;
  for (const { request, response } of index.exchanges.values()) {
    const method = request?.protocol === 'cri' ? (request.rpcMethod ?? '') : '';
    const step = CALLS[method];
    if (step === undefined || request === undefined || response === undefined || !isOfPod(request)) continue;
    const call = `${method} ${request.image ?? ''}`;
    const before = failed === call ? BACK_OFF : (BEFORE[method] ?? 'works, or waits');
    const hasFailed = (response.grpcStatus ?? 0) > 0;
    borders.push({ at: request, who, what: before, hasFailed: false });
    borders.push({ at: response, who: request.to.name, what: hasFailed ? `${step}, which fails` : step, hasFailed });
    failed = hasFailed ? call : null;
  }
  return borders;
}

/** A border for each Event of the kubelet about the Pod. */
function kubeletReports(who: string, isOfPod: IsOfPod, index: MessageIndex): readonly Border[] {
  const borders: Border[] = [];
  let isPulling = false;
  for (const { request } of index.exchanges.values()) {
    const k8sEvent = request?.k8sEvent;
    const what = REPORTS[k8sEvent?.reason ?? ''];
    if (request === undefined || k8sEvent === undefined || what === undefined || !isOfPod(k8sEvent)) continue;
    // An image that is there already is reported without a pull (pkg/kubelet/images/image_manager.go).
    const isThere = k8sEvent.reason === 'Pulled' && !isPulling;
    borders.push({ at: request, who, what: isThere ? REPORTS['Pulling'] : what });
    if (k8sEvent.reason === 'Pulling' || k8sEvent.reason === 'Pulled') isPulling = k8sEvent.reason === 'Pulling';
  }
  return borders;
}

interface LegWords {
  readonly who: string;
  readonly what: string;
}

/** A message in between, with what the time before it was for. */
interface Border extends LegWords {
  readonly at: Message;
}

/** The end of a call may be a failure. */
interface CallBorder extends Border {
  readonly hasFailed: boolean;
}

/** Cuts the time between two messages at the borders that lie in it; neighbours with the same words are one. */
function between(from: Message, to: Message, borders: readonly Border[], rest: LegWords): readonly PathLeg[] {
  const inside = borders
    .filter(({ at }) => at.time > from.time && at.time < to.time)
    .sort((a, b) => (a.at.time < b.at.time ? -1 : a.at.time > b.at.time ? 1 : a.at.seq - b.at.seq));
  const legs: PathLeg[] = [];
  let begin = from;
  for (const { at, who, what } of [...inside, { at: to, ...rest }]) {
    const before = legs.at(-1);
    if (before !== undefined && before.who === who && before.what === what)
      legs[legs.length - 1] = leg(before.from, at, who, what);
    else legs.push(leg(begin, at, who, what));
    begin = at;
  }
  return legs;
}

function leg(from: Message, to: Message, who: string, what: string): PathLeg {
  return { who, what, from, to, duration: to.time - from.time };
}

/** What a program did between an event and its next request. */
function reaction(to: Message): string {
  if (to.kind !== 'request') return to.label;
  return to.subresource === 'binding' ? 'chooses a node' : `its queue and its work, until it sends ${requestWords(to)}`;
}

const KUBELET = 'kubelet';
/** Calls of a runtime that make or end a Pod (k8s.io/cri-api, runtime/v1/api.proto), and what they are for. */
const CALLS: Readonly<Record<string, string>> = dictionary({
  RunPodSandbox: 'sets up the sandbox and its network',
  PullImage: 'pulls the image',
  CreateContainer: 'creates the container',
  StartContainer: 'starts the container',
  StopContainer: 'stops the container, within its grace period',
  StopPodSandbox: 'tears down the sandbox and its network',
});
const BACK_OFF = 'waits before it tries again (back-off)';
/** What a kubelet does before such a call (pkg/kubelet/kubelet.go: SyncPod). */
const BEFORE: Readonly<Record<string, string>> = dictionary({
  RunPodSandbox: 'prepares the Pod, waits for its volumes',
  CreateContainer: 'prepares the container',
});
/** What a kubelet does between the last call, or Event, and such a request (pkg/kubelet/status, pkg/kubelet/kubelet_pods.go). */
const LAST: Readonly<Record<string, string>> = dictionary({
  'patch pods/status': 'sees it in its next round and after its probes, and reports it',
  'delete pods': 'waits until the containers have stopped, within the grace period, and tears down the rest',
});
/** Events of a kubelet (pkg/kubelet/events/event.go), and what was done before it sent them. */
const REPORTS: Readonly<Record<string, string>> = dictionary({
  Pulling: 'sets up volumes, the sandbox and its network',
  Pulled: 'pulls the image',
  Created: 'creates the container',
  Started: 'starts the container',
  Killing: 'begins to stop the container',
  BackOff: BACK_OFF,
  Unhealthy: 'probes the container, which is not ready',
  FailedMount: 'waits for a volume',
  FailedCreatePodSandBox: 'fails to set up the sandbox',
  Failed: 'fails',
});
