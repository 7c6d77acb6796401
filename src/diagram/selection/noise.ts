// What a reader of a picture does not want to see but wants counted, as a table: a new kind of noise is a new row. Knows
// Kubernetes' habits; decides about whole exchanges and single events. What went wrong is none, whatever it is about:
// failures.ts.

import { dictionary } from '../../core/collections/dictionary.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { WRITES } from '../verbs.js';

interface NoiseRow {
  /** As it stands in the note and in `folded`. */
  readonly name: string;
  /** @param request of the message's exchange; undefined where it was before the capture. */
  matches(message: Message, request: Message | undefined): boolean;
}

const ROWS: readonly NoiseRow[] = [
  { name: 'bookmarks', matches: (message) => message.type === 'BOOKMARK' },
  {
    name: 'initial lists',
    matches: (message, request) => message.initial === true || (request?.verb === 'list' && !isPeoples(request)),
  },
  { name: 'leases', matches: (message, request) => resourceOf(message, request) === 'leases' },
  { name: 'health and version', matches: (_, request) => HEALTH.test(request?.target ?? '') },
  { name: 'discovery', matches: (_, request) => request !== undefined && isDiscovery(request) },
  {
    name: 'tokens and service accounts',
    matches: (_, request) =>
      request !== undefined &&
      ((request.resource === 'serviceaccounts' && ASKS.has(request.verb ?? '') && !isPeoples(request)) ||
        request.resource === 'tokenreviews' ||
        request.resource === 'subjectaccessreviews'),
  },
  {
    name: 'node status',
    matches: (message, request) =>
      (resourceOf(message, request) === 'nodes' || resourceOf(message, request) === 'csinodes') &&
      !isPeoples(request ?? message),
  },
  { name: 'Events', matches: (message, request) => resourceOf(message, request) === 'events' },
];

/** Calls to etcd and to container runtimes, which have no verbs. */
const CALL_ROWS: readonly NoiseRow[] = [
  { name: 'runtime polls', matches: ({ service, rpcMethod }) => isCri(service) && RUNTIME_POLLS.has(rpcMethod ?? '') },
  {
    name: 'leases',
    matches: (message, request) =>
      ETCD_LEASES.has(resourceOf(message, request) ?? '') || message.service === 'etcdserverpb.Lease',
  },
  { name: 'Events', matches: (message, request) => resourceOf(message, request) === 'events' },
  {
    name: 'etcd reads',
    matches: ({ service, rpcMethod }) => service === 'etcdserverpb.KV' && READS.has(rpcMethod ?? ''),
  },
  {
    name: 'etcd housekeeping',
    matches: ({ service, rpcMethod, key, kind }, request) =>
      service === 'etcdserverpb.Maintenance' ||
      rpcMethod === 'Compact' ||
      (request?.key ?? key) === 'compact_rev_key' ||
      // Watches that are created and tell how far they are.
      (service === 'etcdserverpb.Watch' && kind === 'data'),
  },
];

const HTTP_ROWS: readonly NoiseRow[] = [
  { name: 'probes', matches: (message, request) => (request ?? message).userAgent?.startsWith(PROBE) === true },
  // Whatever is read, written or watched in another version than it is kept in needs them.
  { name: 'conversions', matches: (message, request) => (request ?? message).object?.kind === 'ConversionReview' },
];

const DOCKER_ROWS: readonly NoiseRow[] = [
  { name: 'health and version', matches: (_, request) => DOCKER_HEALTH.test(request?.target ?? '') },
  { name: 'pull progress', matches: ({ kind, label }) => kind === 'data' && LAYER_PROGRESS.test(label) },
];

const ROWS_OF: Readonly<Partial<Record<Message['protocol'], readonly NoiseRow[]>>> = {
  kubernetes: ROWS,
  etcd: CALL_ROWS,
  cri: CALL_ROWS,
  http: HTTP_ROWS,
  docker: DOCKER_ROWS,
};

/** Name of the noise that a message is, or null. */
export function noiseOf(message: Message, request: Message | undefined): string | null {
  return ROWS_OF[message.protocol]?.find((row) => row.matches(message, request))?.name ?? null;
}

export function isDiscovery({ target }: Message): boolean {
  return DISCOVERY.test(target ?? '');
}

/**
 * Does a person change something by hand, be it a Lease or an Event? Programs whose name nobody knows count as people's, too, and
 * have Leases that they renew. A review changes nothing: it asks.
 */
export function isHandiwork({ kind, from, verb, resource }: Message): boolean {
  if (kind !== 'request' || !isPerson(from) || resource === undefined || resource.endsWith('reviews')) return false;
  return DELETES.has(verb ?? '') || (WRITES.has(verb ?? '') && isTool(from));
}

function resourceOf(message: Message, request: Message | undefined): string | undefined {
  return request?.resource ?? (message.object?.kind === undefined ? undefined : KIND_RESOURCES[message.object.kind]);
}

function isCri(service: string | undefined): boolean {
  return service?.startsWith('runtime.') === true;
}

function isPeoples(message: Message): boolean {
  return message.kind === 'request' && isPerson(message.from);
}

/** Clients that people start. */
export function isPerson(participant: Participant): boolean {
  return participant.tier === 'people';
}

/** Commands that people type, whatever account they use. */
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
/** Those that renew nothing by themselves. */
const TOOLS = new Set(['kubectl', 'curl', 'helm']);
/** What the API server keeps alive in etcd. */
const ETCD_LEASES = new Set(['leases', 'masterleases']);
/** etcd 3.7 has the second. */
const READS = new Set(['Range', 'RangeStream']);
/** What a kubelet asks again and again, whatever happens. */
const RUNTIME_POLLS = new Set([
  'Version',
  'Status',
  'RuntimeConfig',
  'UpdateRuntimeConfig',
  'ListContainers',
  'ListPodSandbox',
  'ListImages',
  'ImageStatus',
  'ImageFsInfo',
  'ContainerStatus',
  'PodSandboxStatus',
  'ContainerStats',
  'ListContainerStats',
  'PodSandboxStats',
  'ListPodSandboxStats',
  'ListMetricDescriptors',
  'ListPodSandboxMetrics',
]);
/** pkg/probe/http/http.go */
const PROBE = 'kube-probe/';
const ASKS = new Set(['get', 'create']);
const HEALTH = /^\/(?:healthz|livez|readyz|version|metrics)(?:[/?]|$)/;
const DOCKER_HEALTH = /^\/(?:v1\.\d+\/)?(?:_ping|version|info)(?:\?|$)/;
/** What docker's engine tells of one layer (moby, distribution/pull_v2.go, distribution/xfer). */
const LAYER_PROGRESS =
  /^\[DATA\] (?:Pulling fs layer|Waiting|Downloading|Verifying Checksum|Download complete|Extracting|Pull complete|Already exists|Preparing|Pushing|Pushed|Layer already exists)\b/;
const DISCOVERY =
  /^\/(?:api|apis|openapi)(?:\/?(?:\?|$)|\/v[0-9a-z]+\/?(?:\?|$)|\/[^/?]+\/?(?:\?|$)|\/[^/?]+\/v[0-9][0-9a-z]*\/?(?:\?|$))|^\/openapi\//;
