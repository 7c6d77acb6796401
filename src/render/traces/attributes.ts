// Names what a message says by OpenTelemetry's semantic conventions (opentelemetry.io/docs/specs/semconv); what has no name there
// begins with `kubeseq.`.

import { dictionary } from '../../core/collections/dictionary.js';
import { hostOf, serverOf } from '../../core/connection-name.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { FoundCause, TracedExchange } from './exchange-tracker.js';

export interface TraceOptions {
  readonly version: string;
  /** ns since the epoch: the first frame of the captures. */
  readonly first: bigint;
  /** Names of the captures, if there are several. */
  readonly captures?: readonly string[];
  /** All messages of the captures come; else a missing answer may only be unselected. */
  readonly isAll: boolean;
  /** A trace for the life of each object, or one for all; undefined: for each exchange. */
  readonly story?: 'each' | 'one' | undefined;
}

/** undefined: the attribute is left out. */
export type AttributeValue = string | number | boolean | readonly number[] | readonly string[] | undefined;
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** What a request says, or of one from before the capture the first message of its exchange. */
function requestAttributes(message: Message): Attributes {
  const { method, target, connection, stream, service, rpcMethod, protocol } = message;
  const server = serverOf(connection);
  const query = target?.indexOf('?') ?? -1;
  return {
    'http.request.method': method === undefined ? undefined : METHODS.has(method) ? method : '_OTHER',
    'http.request.method_original': method === undefined || METHODS.has(method) ? undefined : method,
    'url.path': query < 0 ? target : target?.slice(0, query),
    'url.query': query < 0 ? undefined : target?.slice(query + 1),
    'user_agent.original': message.userAgent,
    'server.address': hostOf(server),
    'server.port': Number(server.slice(server.lastIndexOf(':') + 1)),
    'network.protocol.name': 'http',
    'network.protocol.version': stream === null ? '1.1' : '2',
    'rpc.system': service === undefined ? undefined : 'grpc',
    'rpc.service': service,
    'rpc.method': rpcMethod ?? undefined,
    'user.name': message.user,
    ...objectAttributes(message),
    'kubeseq.protocol': protocol,
    'kubeseq.verb': message.verb,
    'kubeseq.api_group': message.apiGroup,
    'kubeseq.resource': message.resource,
    'kubeseq.subresource': message.subresource,
    'kubeseq.name': message.name,
    'kubeseq.etcd_key': message.key,
  };
}

function responseAttributes(message: Message): Attributes {
  return {
    'http.response.status_code': message.status,
    'rpc.grpc.status_code': message.grpcStatus,
    'error.type': errorOf(message),
    'kubeseq.audit_id': message.auditId,
    // Empty in answers that are no failure.
    'kubeseq.reason': message.reason?.length === 0 ? undefined : message.reason,
    'kubeseq.warnings': message.warnings,
    'kubeseq.response.seq': message.seq,
    'kubeseq.response.label': message.label,
    'kubeseq.response.frames': message.frames,
    'kubeseq.response.complete': message.complete ? undefined : false,
  };
}

/** A watch event or a piece of a stream. */
export function partAttributes({ type, initial, object, channel, bytes, key }: Message): Attributes {
  return {
    'kubeseq.event_type': type,
    'kubeseq.initial': initial,
    'kubeseq.kind': object?.kind,
    'k8s.namespace.name': object?.namespace ?? undefined,
    'kubeseq.name': object?.name ?? undefined,
    'kubeseq.uid': object?.uid ?? undefined,
    'kubeseq.resource_version': object?.resourceVersion ?? undefined,
    'kubeseq.channel': channel,
    'kubeseq.bytes': bytes,
    'kubeseq.etcd_key': key,
  };
}

/** Of an exchange: what its request, its response and their origin say, and what of it is not there. */
export function exchangeAttributes(
  { first, request, response, parts, causes }: TracedExchange<unknown>,
  { captures, isAll }: TraceOptions,
): Attributes {
  const missing = request === undefined ? 'request' : response === undefined ? 'answer' : null;
  return {
    ...requestAttributes(first),
    ...(response === undefined ? {} : responseAttributes(response)),
    ...originAttributes(first, captures),
    'kubeseq.parts': parts === 0 ? undefined : parts,
    'kubeseq.causes_outside': causesOutside(causes),
    'kubeseq.missing':
      missing === null ? undefined : `no ${missing} ${isAll ? 'in the capture' : 'among the selected messages'}`,
  };
}

/** `seq` of causes that are not in this output. */
export function causesOutside(causes: readonly FoundCause<unknown>[]): readonly number[] | undefined {
  const outside = causes.filter(({ ref }) => ref === undefined).map(({ seq }) => seq);
  return outside.length === 0 ? undefined : outside;
}

/** Where a span comes from. @param captures their names, if there are several. */
export function originAttributes(message: Message, captures: readonly string[] | undefined): Attributes {
  return {
    'kubeseq.seq': message.seq,
    'kubeseq.label': message.label,
    'kubeseq.frames': message.frames,
    'kubeseq.capture': captures?.[message.capture],
    'kubeseq.connection': message.connection,
    'kubeseq.stream': message.stream ?? undefined,
    'kubeseq.peer': message.kind === 'request' ? message.to.name : message.from.name,
    'kubeseq.complete': message.complete ? undefined : false,
    'kubeseq.inferred': message.inferred,
  };
}

/** Why a client's span is an error: a status from 400 on (HTTP client spans), or any but 0 of gRPC; undefined: it is none. */
export function errorOf({ status, grpcStatus, type }: Message): string | undefined {
  if (type === 'ERROR') return 'ERROR';
  if (status !== undefined && status >= 400) return String(status);
  return grpcStatus !== undefined && grpcStatus !== 0 ? String(grpcStatus) : undefined;
}

/** `create pods/binding`, `etcdserverpb.KV/Txn`, `ADDED Pod`: without names, so that spans of one sort have one name. */
export function operationOf(message: Message): string {
  const { kind, verb, resource, subresource, service, rpcMethod, method, type, object, channel } = message;
  if (kind === 'event') return object === undefined ? (type ?? 'event') : `${type ?? 'event'} ${object.kind}`;
  if (kind === 'data') return `data ${channel ?? ''}`.trimEnd();
  if (service !== undefined) return `${service}/${rpcMethod ?? '…'}`;
  if (resource === undefined || verb === undefined) return method ?? (kind === 'response' ? 'unknown request' : '…');
  return `${verb} ${resource}${subresource === undefined || subresource === '' ? '' : `/${subresource}`}`;
}

function objectAttributes({ resource, apiGroup, namespace, name }: Message): Attributes {
  const attribute = name === undefined || resource === undefined ? undefined : OBJECTS[`${apiGroup ?? ''}/${resource}`];
  const inNamespace = (namespace ?? '') === '' ? undefined : namespace;
  return attribute === undefined
    ? { 'k8s.namespace.name': inNamespace }
    : { 'k8s.namespace.name': inNamespace, [attribute]: name };
}

/** Group and resource → the attribute that has the object's name (semantic conventions, resource/k8s). */
const OBJECTS: Readonly<Record<string, string>> = dictionary({
  '/pods': 'k8s.pod.name',
  '/nodes': 'k8s.node.name',
  '/namespaces': 'k8s.namespace.name',
  '/replicationcontrollers': 'k8s.replicationcontroller.name',
  '/resourcequotas': 'k8s.resourcequota.name',
  'apps/deployments': 'k8s.deployment.name',
  'apps/replicasets': 'k8s.replicaset.name',
  'apps/statefulsets': 'k8s.statefulset.name',
  'apps/daemonsets': 'k8s.daemonset.name',
  'batch/jobs': 'k8s.job.name',
  'batch/cronjobs': 'k8s.cronjob.name',
  'autoscaling/horizontalpodautoscalers': 'k8s.hpa.name',
});

/** Methods that keep their name in `http.request.method` (RFC 9110 section 9, RFC 5789). */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);
