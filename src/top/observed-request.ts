// Holds what is kept of a request to an API server until its response arrives: its fields, without its head and body.

import type { Message, Participant } from '../kubernetes/messages/message.js';

export interface ObservedRequest {
  readonly seq: number;
  /** ns since the epoch: its last byte. */
  readonly time: bigint;
  readonly exchange: number;
  readonly client: Participant;
  readonly server: Participant;
  readonly userAgent: Message['userAgent'];
  readonly user: Message['user'];
  readonly verb: string;
  readonly apiGroup: Message['apiGroup'];
  readonly resource: Message['resource'];
  readonly subresource: Message['subresource'];
  readonly namespace: Message['namespace'];
  readonly name: Message['name'];
  readonly target: Message['target'];
  readonly dryRun: boolean;
  /** Whether the head was captured whole, as HTTP/1.1: a field that is not in it was not sent. */
  readonly hasWholeHead: boolean;
}

export function observedRequest(message: Message): ObservedRequest {
  return {
    seq: message.seq,
    time: message.time,
    exchange: message.exchange,
    client: message.from,
    server: message.to,
    userAgent: message.userAgent,
    user: message.user,
    verb: message.verb ?? '',
    apiGroup: message.apiGroup,
    resource: message.resource,
    subresource: message.subresource,
    namespace: message.namespace,
    name: message.name,
    target: message.target,
    dryRun: message.dryRun === true,
    hasWholeHead: message.stream === null && message.complete,
  };
}

/** `deployments.apps/status`; the path where the request is about no resource. */
export function resourceWords({ apiGroup, resource, subresource, target }: ObservedRequest): string {
  if (resource === undefined) return pathOf(target);
  const group = apiGroup === undefined || apiGroup === '' ? '' : `.${apiGroup}`;
  return `${resource}${group}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** `deployments.apps shop/web`. */
export function objectWords(request: ObservedRequest): string {
  const { namespace, name } = request;
  const resource = resourceWords(request);
  // A Namespace fills both fields.
  const place = namespace === undefined || request.resource === 'namespaces' ? '' : `${namespace}/`;
  if (name !== undefined) return `${resource} ${place}${name}`;
  return namespace === undefined ? resource : `${resource} in ${namespace}`;
}

/** One client's requests of one verb about one object have one key. */
export function objectKey(request: ObservedRequest): string {
  const { client, verb, apiGroup, resource, subresource = '', namespace = '', name = '' } = request;
  if (resource === undefined) return `${client.id} ${verb} ${pathOf(request.target)}`;
  return `${client.id} ${verb} ${apiGroup}/${resource}/${subresource} ${namespace}/${name}`;
}

/** One client's lists, or watches, of the same objects have one key: resource, namespace, selectors. */
export function scopeKey(request: ObservedRequest): string {
  const selectors = queryOf(request)
    .filter((one) => SELECTOR.test(one))
    .sort()
    .join('&');
  return `${objectKey(request)} ${selectors}`;
}

/** Parameters of the query, as they stand in the target. */
export function queryOf({ target }: ObservedRequest): readonly string[] {
  const at = target?.indexOf('?') ?? -1;
  return target === undefined || at < 0 ? [] : target.slice(at + 1).split('&');
}

/** Without the query. */
export function pathOf(target: string | undefined): string {
  return target === undefined ? '?' : target.split('?', 1)[0];
}

const SELECTOR = /^(?:field|label)Selector=./;
