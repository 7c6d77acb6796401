// Divides the time between a message and the one that it led to, by what is known of the program in between.

import { dictionary } from '../core/collections/dictionary.js';
import { compareTimes } from '../core/origin.js';
import { requestWords } from '../diagram/verbs.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { PathLeg, PathStep } from './model.js';
import type { PathIndex, PathObject } from './path-index.js';

/** @param to was caused by `from`, or answers it. @returns legs from the one to the other without a gap. */
export function legsBetween(from: Message, to: Message, index: PathIndex): readonly PathLeg[] {
  if (from.kind === 'request') return inServer(from, to, index);
  return to.from.component === KUBELET && to.kind === 'request'
    ? inKubelet(from, to, index)
    : [leg(from, to, reaction(to))];
}

/** From a request to its answer, or to the event that tells of it: webhooks are called one after the other. */
function inServer(request: Message, to: Message, index: PathIndex): readonly PathLeg[] {
  const what =
    to.kind === 'response'
      ? `answers ${requestWords(request)}`
      : `handles ${requestWords(request)}, sends the watch event to ${to.to.name}`;
  const work: LegWords = { step: 'write', who: request.to.name, what };
  const calls: Border[] = [];
  for (const { request: call, response } of index.extensionCalls(request.seq)) {
    if (call === undefined || response === undefined) continue;
    calls.push({ at: call, ...work }, { at: response, step: 'webhook', who: call.to.name, what: 'is asked' });
  }
  return between(request, to, calls, work);
}

/** What a kubelet does for a Pod: calls of its runtime, else what it reports. */
function inKubelet(event: Message, to: Message, index: PathIndex): readonly PathLeg[] {
  const who = to.from.name;
  const calls = runtimeCalls(who, to, index);
  const reports = kubeletReports(who, to, index);
  const rest = LAST[requestWords(to)] ?? unseenWork(`it sends ${requestWords(to)}`);
  // Where its calls were captured, of its Events only a back-off says more than they do.
  const own = calls.length === 0 ? reports : [...calls, ...reports.filter(({ backsOff }) => backsOff)];
  return between(event, to, ...withBackOffs(own, to, { who, ...rest }));
}

/**
 * A kubelet that backs off from an image, or from a container that failed, says so by the Event BackOff
 * (pkg/kubelet/images/image_manager.go, pkg/kubelet/kuberuntime/kuberuntime_manager.go: doBackOff). From then on until something is
 * started again it waits.
 */
function withBackOffs(borders: readonly KubeletBorder[], to: Message, rest: LegWords): [readonly Border[], LegWords] {
  let backsOff = false;
  const marked: Border[] = [];
  for (const border of inOrder(borders)) {
    if (border.at.time >= to.time) break;
    marked.push(backsOff ? { ...border, ...BACK_OFF } : border);
    if (border.backsOff) backsOff = true;
    else if (border.starts) backsOff = false;
  }
  return [marked, backsOff ? { ...rest, ...BACK_OFF } : rest];
}

/** Two borders for each call: where it began, and where it ended. */
function runtimeCalls(who: string, pod: PathObject, index: PathIndex): readonly KubeletBorder[] {
  const borders: KubeletBorder[] = [];
  for (const { request, response } of index.runtimeCalls(pod)) {
    const method = request?.rpcMethod ?? '';
    const work = CALLS[method];
    if (work === undefined || request === undefined || response === undefined) continue;
    const before = BEFORE[method] ?? unseenWork(`it calls ${method}`);
    const hasFailed = (response.grpcStatus ?? 0) > 0;
    const what = hasFailed ? `${work.what}, which fails` : work.what;
    borders.push({ at: request, who, ...before, backsOff: false, starts: work.step !== 'stop' });
    borders.push({ at: response, who: request.to.name, step: work.step, what, backsOff: false, starts: false });
  }
  return borders;
}

/** A border for each Event of the kubelet about the Pod. */
function kubeletReports(who: string, pod: PathObject, index: PathIndex): readonly KubeletBorder[] {
  const borders: KubeletBorder[] = [];
  let isPulling = false;
  for (const { at, reason, text } of index.k8sEvents(pod)) {
    const work = reason === 'Failed' ? failedWork(text) : REPORTS[reason];
    if (work === undefined) continue;
    // An image that is there already is reported without a pull (pkg/kubelet/images/image_manager.go).
    const isThere = reason === 'Pulled' && !isPulling;
    const words = isThere ? REPORTS['Pulling'] : work;
    borders.push({ at, who, ...words, backsOff: reason === 'BackOff', starts: STARTS.has(reason) });
    if (reason === 'Pulling' || reason === 'Pulled') isPulling = reason === 'Pulling';
  }
  return borders;
}

/** What is done, and which step of a path that is. */
interface StepWork {
  readonly step: PathStep;
  readonly what: string;
}

interface LegWords extends StepWork {
  readonly who: string;
}

/** A message in between, with what the time before it was for. */
interface Border extends LegWords {
  readonly at: Message;
}

/** Of a kubelet. */
interface KubeletBorder extends Border {
  /** It says that it backs off. */
  readonly backsOff: boolean;
  /** It pulls an image, or makes or starts a container. */
  readonly starts: boolean;
}

/** Cuts the time between two messages at the borders that lie in it; neighbours with the same words are one. */
function between(from: Message, to: Message, borders: readonly Border[], rest: LegWords): readonly PathLeg[] {
  const inside = inOrder(borders).filter(({ at }) => at.time > from.time && at.time < to.time);
  const legs: PathLeg[] = [];
  let begin = from;
  for (const { at, step, who, what } of [...inside, { at: to, ...rest }]) {
    const before = legs.at(-1);
    if (before !== undefined && before.who === who && before.what === what)
      legs[legs.length - 1] = leg(before.from, at, before);
    else legs.push(leg(begin, at, { step, who, what }));
    begin = at;
  }
  return legs;
}

function inOrder<B extends Border>(borders: readonly B[]): readonly B[] {
  return borders.toSorted((a, b) => compareTimes(a.at.time, b.at.time) || a.at.seq - b.at.seq);
}

function leg(from: Message, to: Message, { step, who, what }: LegWords): PathLeg {
  return { step, who, what, from, to, duration: to.time - from.time };
}

/** What a program did between an event and its next request. */
function reaction(to: Message): LegWords {
  const who = to.from.name;
  if (to.kind !== 'request') return { step: 'other', who, what: to.label };
  return to.subresource === 'binding'
    ? { step: 'scheduler', who, what: 'chooses a node' }
    : { step: 'queue', who, what: `waits in its work queue and works, until it sends ${requestWords(to)}` };
}

/** @param end a sentence. */
function unseenWork(end: string): StepWork {
  return { step: 'other', what: `works or waits (the capture does not show which) until ${end}` };
}

/** What failed: an Event `Failed` says it in its text (pkg/kubelet/images/image_manager.go; pkg/kubelet/kuberuntime: startContainer). */
function failedWork(text: string): StepWork {
  if (text.startsWith('Failed to pull image')) return { step: 'pull', what: 'pulls the image, which fails' };
  const reason = /^Error: (\w+)$/.exec(text)?.[1];
  if (reason !== undefined) return { step: 'other', what: `reports ${reason}` };
  return { step: 'other', what: text.startsWith('Error: ') ? 'fails to make or start the container' : 'fails' };
}

const KUBELET = 'kubelet';
/** Calls of a runtime that make or end a Pod (k8s.io/cri-api, runtime/v1/api.proto), and what they are for. */
const CALLS: Readonly<Record<string, StepWork>> = dictionary({
  RunPodSandbox: { step: 'sandbox', what: 'sets up the sandbox and its network' },
  PullImage: { step: 'pull', what: 'pulls the image' },
  CreateContainer: { step: 'create', what: 'creates the container' },
  StartContainer: { step: 'start', what: 'starts the container' },
  StopContainer: { step: 'stop', what: 'stops the container, within its grace period' },
  StopPodSandbox: { step: 'stop', what: 'tears down the sandbox and its network' },
});
const BACK_OFF: StepWork = { step: 'back-off', what: 'waits before it tries again (back-off)' };
/** What a kubelet does before such a call (pkg/kubelet/kubelet.go: SyncPod). */
const BEFORE: Readonly<Record<string, StepWork>> = dictionary({
  RunPodSandbox: { step: 'prepare', what: 'prepares the Pod, waits for its volumes' },
  CreateContainer: { step: 'prepare', what: 'prepares the container' },
});
/** What a kubelet does between the last call, or Event, and such a request (pkg/kubelet/status, pkg/kubelet/kubelet_pods.go). */
const LAST: Readonly<Record<string, StepWork>> = dictionary({
  'patch pods/status': { step: 'report', what: 'checks the containers, runs their probes, and reports the status' },
  'delete pods': {
    step: 'stop',
    what: 'waits until the containers have stopped, within the grace period, and tears down the rest',
  },
});
/** Events of a kubelet (pkg/kubelet/events/event.go), and what was done before it sent them. */
const REPORTS: Readonly<Record<string, StepWork>> = dictionary({
  Pulling: { step: 'sandbox', what: 'sets up volumes, the sandbox and its network' },
  Pulled: { step: 'pull', what: 'pulls the image' },
  Created: { step: 'create', what: 'creates the container' },
  Started: { step: 'start', what: 'starts the container' },
  Killing: { step: 'stop', what: 'begins to stop the container' },
  BackOff: unseenWork('its Event BackOff'),
  Unhealthy: { step: 'probe', what: 'probes the container, which is not ready' },
  FailedMount: { step: 'prepare', what: 'waits for a volume' },
  FailedCreatePodSandBox: { step: 'sandbox', what: 'fails to set up the sandbox' },
});
/** Events that end a back-off. */
const STARTS = new Set(['Pulling', 'Pulled', 'Created', 'Started']);
