// Classifies a body by its request: the cluster's own, an application's, or what a program sends through a Pod.

import { STREAMED_SUBRESOURCES } from '../../core/api-resources.js';
import type { Table } from '../../protobuf/table.js';
import { criTable, etcdTable } from '../../protobuf/tables.js';
import type { ObjectContext } from '../../redaction/redaction.js';
import type { Protocol } from '../messages/message.js';

/**
 * @param request what is known of the request: verb and resource of a Kubernetes request, service of a call.
 * @param target as on the wire; empty where not known.
 */
export function bodyContext(protocol: Protocol, request: RequestKind, target: string): ObjectContext {
  switch (protocol) {
    case 'kubernetes': {
      const { verb, resource, subresource, apiGroup, apiVersion } = request;
      // The request is not known: a Pod may have answered, through a proxy.
      if (verb === undefined && target === '')
        return { resource, subresource, apiGroup, apiVersion, application: 'objects' };
      const isPayload = verb === 'proxy' || STREAMED_SUBRESOURCES.has(subresource ?? '');
      return { resource, subresource, apiGroup, apiVersion, application: isPayload ? 'payload' : undefined };
    }
    case 'docker':
      return {
        api: 'docker',
        resource: DOCKER_STORE.exec(target)?.[1],
        application: DOCKER_PAYLOAD.test(target) ? 'payload' : undefined,
      };
    case 'kubelet':
      return { api: 'kubelet', application: KUBELET_OWN.test(target) ? undefined : 'payload' };
    case 'etcd':
    case 'cri':
      // etcd's port serves a gateway, too, with keys and values in base64.
      return request.service !== undefined || ETCD_OWN.test(target) ? {} : { application: 'objects' };
    case 'registry':
      // Beside a registry on one port stands what manages it: robots and their secrets (Harbor's `/api`).
      return REGISTRY_OWN.test(target) ? { api: 'registry' } : { application: 'objects' };
    default:
      return { application: 'objects', ...reviewedIn(request) };
  }
}

/** Of a review, what is judged: no other request of an application is about a resource. */
function reviewedIn({
  resource,
  subresource,
  apiGroup,
  apiVersion,
}: RequestKind): Pick<ObjectContext, 'reviewed'> | null {
  return resource === undefined ? null : { reviewed: { resource, subresource, apiGroup, apiVersion } };
}

/**
 * The message that a call of etcd or of the container runtime sends or answers with.
 * @returns its full name; undefined where the method is not known.
 */
export function callMessage(service: string, method: string, isRequest: boolean): string | undefined {
  const found = callTable(service)?.method(service, method);
  return isRequest ? found?.request : found?.response;
}

/** The table that a service is of. */
export function callTable(service: string): Table | undefined {
  if (service.startsWith('etcdserverpb.')) return etcdTable();
  return service.startsWith('runtime.v1.') ? criTable() : undefined;
}

interface RequestKind {
  readonly verb?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly service?: string;
}

/** Docker keeps secrets and configs of its own. */
const DOCKER_STORE = /^\/(?:v\d[\d.]*\/)?(secrets|configs)(?:[/?]|$)/;
const DOCKER_PAYLOAD =
  /^\/(?:v\d[\d.]*\/)?(?:containers\/[^/]+\/(?:logs|attach|archive|export)|exec\/[^/]+\/start|build)(?:[/?]|$)/;
/** Endpoints about etcd itself (server/etcdserver/api/etcdhttp). */
const ETCD_OWN = /^\/(?:version|health|livez|readyz|metrics|members)(?:[/?]|$)/;
/** The distribution's API, and where its tokens come from, whose values are known members. */
const REGISTRY_OWN = /^\/(?:v2|token|service\/token|oauth2\/token)(?:[/?]|$)/;
/** Endpoints about the kubelet itself (pkg/kubelet/server/server.go). */
const KUBELET_OWN = /^\/(?:pods|runningpods|stats|spec|healthz|configz|checkpoint)(?:[/?]|$)/;
