// Names what a request to an API server is about, in words and as keys of what is counted.

import { groupResource, namespaceOf, objectKey, objectText } from '../kubernetes/api/object-ref.js';
import type { Message } from '../kubernetes/messages/message.js';

/** `deployments.apps/status`; the path where the request is about no resource. */
export function resourceWords({ apiGroup, resource, subresource, target }: Message): string {
  if (resource === undefined) return pathOf(target);
  return `${groupResource(resource, apiGroup)}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** `deployments.apps shop/web`. */
export function objectWords(request: Message): string {
  const { namespace, name } = request;
  const resource = resourceWords(request);
  if (name !== undefined) return objectText(resource, namespaceOf(request.resource, namespace), name);
  return namespace === undefined ? resource : `${resource} in ${namespace}`;
}

/** One client's requests of one verb about one object have one key. */
export function requestKey(request: Message, verb: string | undefined = request.verb): string {
  const { from, apiGroup, resource, subresource = '', namespace, name } = request;
  if (resource === undefined) return `${from.id} ${verb} ${pathOf(request.target)}`;
  return `${from.id} ${verb} ${subresource} ${objectKey(resource, apiGroup, namespace, name)}`;
}

/** One client's lists, or watches, of the same objects have one key: resource, namespace, selectors. */
export function scopeKey(request: Message, verb: string | undefined = request.verb): string {
  const selectors = queryOf(request)
    .filter((one) => SELECTOR.test(one))
    .sort()
    .join('&');
  return `${requestKey(request, verb)} ${selectors}`;
}

/** Parameters of the query, as they stand in the target. */
export function queryOf({ target }: Message): readonly string[] {
  const at = target?.indexOf('?') ?? -1;
  return target === undefined || at < 0 ? [] : target.slice(at + 1).split('&');
}

/** Without the query. */
export function pathOf(target: string | undefined): string {
  return target === undefined ? '?' : target.split('?', 1)[0];
}

const SELECTOR = /^(?:field|label)Selector=./;
