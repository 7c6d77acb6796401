// Recognises noise, which is counted and not drawn, as a table of Kubernetes' periodic requests: a new kind of noise
// is a new row. Failed requests are never noise.

import { dictionary } from '../../core/collections/dictionary.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import type { NoiseReason } from '../disposition.js';
import { WRITES } from '../verbs.js';

interface NoiseRow {
  readonly reason: NoiseReason;
  /** @param request of the message's exchange; undefined: sent before the capture. */
  matches(message: Message, request: Message | undefined): boolean;
}

const ROWS: readonly NoiseRow[] = [
  { reason: 'bookmarks', matches: (message) => message.type === 'BOOKMARK' },
  {
    reason: 'initial-lists',
    matches: (message, request) => message.initial === true || (request?.verb === 'list' && !isFromPerson(request)),
  },
  { reason: 'leases', matches: (message, request) => resourceOf(message, request) === 'leases' },
  { reason: 'health-and-version', matches: (_, request) => HEALTH.test(request?.target ?? '') },
  { reason: 'discovery', matches: (_, request) => request !== undefined && isDiscovery(request) },
  {
    reason: 'tokens-and-accounts',
    matches: (_, request) =>
      request !== undefined &&
      ((request.resource === 'serviceaccounts' && TOKEN_VERBS.has(request.verb ?? '') && !isFromPerson(request)) ||
        request.resource === 'tokenreviews' ||
        request.resource === 'subjectaccessreviews'),
  },
  {
    reason: 'node-status',
    matches: (message, request) =>
      (resourceOf(message, request) === 'nodes' || resourceOf(message, request) === 'csinodes') &&
      !isFromPerson(request ?? message),
  },
  { reason: 'events', matches: (message, request) => resourceOf(message, request) === 'events' },
];

/** RPCs of etcd and container runtimes, which have no verbs. */
const CALL_ROWS: readonly NoiseRow[] = [
  {
    reason: 'runtime-polls',
    matches: ({ service, rpcMethod }) => isCri(service) && RUNTIME_POLLS.has(rpcMethod ?? ''),
  },
  {
    reason: 'leases',
    matches: (message, request) =>
      ETCD_LEASES.has(resourceOf(message, request) ?? '') || message.service === 'etcdserverpb.Lease',
  },
  { reason: 'events', matches: (message, request) => resourceOf(message, request) === 'events' },
  {
    reason: 'etcd-reads',
    matches: ({ service, rpcMethod }) => service === 'etcdserverpb.KV' && READS.has(rpcMethod ?? ''),
  },
  {
    reason: 'etcd-housekeeping',
    matches: ({ service, rpcMethod, key, kind }, request) =>
      service === 'etcdserverpb.Maintenance' ||
      rpcMethod === 'Compact' ||
      (request?.key ?? key) === 'compact_rev_key' ||
      // Creation and progress notifications of watches.
      (service === 'etcdserverpb.Watch' && kind === 'data'),
  },
];

const HTTP_ROWS: readonly NoiseRow[] = [
  { reason: 'probes', matches: (message, request) => (request ?? message).userAgent?.startsWith(PROBE) === true },
  // Every access in another version than the stored one needs a conversion.
  { reason: 'conversions', matches: (message, request) => (request ?? message).object?.kind === 'ConversionReview' },
];

const DOCKER_ROWS: readonly NoiseRow[] = [
  { reason: 'health-and-version', matches: (_, request) => DOCKER_HEALTH.test(request?.target ?? '') },
  { reason: 'pull-progress', matches: ({ kind, label }) => kind === 'data' && LAYER_PROGRESS.test(label) },
];

const ROWS_OF: Readonly<Partial<Record<Message['protocol'], readonly NoiseRow[]>>> = {
  kubernetes: ROWS,
  etcd: CALL_ROWS,
  cri: CALL_ROWS,
  http: HTTP_ROWS,
  docker: DOCKER_ROWS,
};

/** null: the message is no noise. */
export function noiseOf(message: Message, request: Message | undefined): NoiseReason | null {
  return ROWS_OF[message.protocol]?.find((row) => row.matches(message, request))?.reason ?? null;
}

export function isDiscovery({ target }: Pick<Message, 'target'>): boolean {
  return DISCOVERY.test(target ?? '');
}

/**
 * Does a person change an object, even if it is a Lease or an Event? Unknown programs count as people too and renew Leases, so
 * only deletes count for them. A review changes nothing.
 */
export function isManualChange({ kind, from, verb, resource }: Message): boolean {
  if (kind !== 'request' || !isPerson(from) || resource === undefined || resource.endsWith('reviews')) return false;
  return DELETES.has(verb ?? '') || (WRITES.has(verb ?? '') && isTool(from));
}

function resourceOf(message: Message, request: Message | undefined): string | undefined {
  return request?.resource ?? (message.object?.kind === undefined ? undefined : KIND_RESOURCES[message.object.kind]);
}

function isCri(service: string | undefined): boolean {
  return service?.startsWith('runtime.') === true;
}

function isFromPerson(message: Message): boolean {
  return message.kind === 'request' && isPerson(message.from);
}

export function isPerson(participant: Participant): boolean {
  return participant.tier === 'people';
}

/** Commands for interactive use, with any account. */
export function isTool({ component }: Participant): boolean {
  return TOOLS.has(component);
}

const KIND_RESOURCES: Readonly<Record<string, string>> = dictionary({
  Lease: 'leases',
  Event: 'events',
  Node: 'nodes',
  CSINode: 'csinodes',
});
const DELETES = new Set(['delete', 'deletecollection']);
/** These renew no Leases. */
const TOOLS = new Set(['kubectl', 'curl', 'helm']);
/** Leases that API servers keep in etcd. */
const ETCD_LEASES = new Set(['leases', 'masterleases']);
/** etcd 3.7 has the second. */
const READS = new Set(['Range', 'RangeStream']);
/** Calls that a kubelet repeats periodically. */
const RUNTIME_POLLS = new Set(
  `Version Status RuntimeConfig UpdateRuntimeConfig ListContainers ListPodSandbox ListImages ImageStatus
  ImageFsInfo ContainerStatus PodSandboxStatus ContainerStats ListContainerStats PodSandboxStats
  ListPodSandboxStats ListMetricDescriptors ListPodSandboxMetrics`.split(/\s+/),
);
/** pkg/probe/http/http.go */
const PROBE = 'kube-probe/';
const TOKEN_VERBS = new Set(['get', 'create']);
const HEALTH = /^\/(?:healthz|livez|readyz|version|metrics)(?:[/?]|$)/;
const DOCKER_HEALTH = /^\/(?:v1\.\d+\/)?(?:_ping|version|info)(?:\?|$)/;
/** Progress of one layer (moby, distribution/pull_v2.go, distribution/xfer). */
const LAYER_PROGRESS =
  /^\[DATA\] (?:Pulling fs layer|Waiting|Downloading|Verifying Checksum|Download complete|Extracting|Pull complete|Already exists|Preparing|Pushing|Pushed|Layer already exists)\b/;
const DISCOVERY =
  /^\/(?:api|apis|openapi)(?:\/?(?:\?|$)|\/v[0-9a-z]+\/?(?:\?|$)|\/[^/?]+\/?(?:\?|$)|\/[^/?]+\/v[0-9][0-9a-z]*\/?(?:\?|$))|^\/openapi\//;
