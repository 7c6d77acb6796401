// Whose a body is, told from the request that it belongs to: the cluster's own, an application's, or what a program was
// told through a Pod. Knows doors, verbs and paths; what may be shown of each is the redaction's.

import type { BodyContext } from './details-types.js';
import type { Protocol } from './message.js';

/** @param asked of a Kubernetes request, where it is known. @param target as on the wire; empty where not known. */
export function bodyContext(
  protocol: Protocol,
  asked: { readonly verb?: string; readonly resource?: string; readonly subresource?: string },
  target: string,
): BodyContext {
  switch (protocol) {
    case 'kubernetes': {
      const { verb, resource, subresource } = asked;
      const isPayload = verb === 'proxy' || PAYLOAD_SUBRESOURCES.has(subresource ?? '');
      return { resource, subresource, application: isPayload ? 'payload' : undefined };
    }
    case 'docker':
      return {
        resource: DOCKER_STORE.exec(target)?.[1],
        application: DOCKER_PAYLOAD.test(target) ? 'payload' : undefined,
      };
    case 'kubelet':
      return { application: KUBELET_OWN.test(target) ? undefined : 'payload' };
    case 'etcd':
    case 'cri':
    case 'registry':
      return {};
    default:
      return { application: 'objects' };
  }
}

/** What goes through them is the Pod's, not the cluster's. */
const PAYLOAD_SUBRESOURCES = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
/** Docker keeps secrets and configs of its own. */
const DOCKER_STORE = /^\/(?:v\d[\d.]*\/)?(secrets|configs)(?:[/?]|$)/;
const DOCKER_PAYLOAD =
  /^\/(?:v\d[\d.]*\/)?(?:containers\/[^/]+\/(?:logs|attach|archive|export)|exec\/[^/]+\/start|build)(?:[/?]|$)/;
/** pkg/kubelet/server/server.go: what tells of the kubelet itself. */
const KUBELET_OWN = /^\/(?:pods|runningpods|stats|spec|healthz|configz|checkpoint)(?:[/?]|$)/;
