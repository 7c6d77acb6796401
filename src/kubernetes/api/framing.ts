// Decides how a body is cut into messages: watches into events, gRPC streams into messages, followed logs into pieces,
// progress of Docker pulls into steps; every other body is one message.

import { fieldValue } from '../../core/fields.js';
import type { BodyFraming } from '../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import type { Side } from '../../tcp/stream-event.js';
import { requestInfo } from './request-info.js';

export function bodyFraming(request: RequestHead | null, response: ResponseHead | null, from: Side): BodyFraming {
  const head = from === 'client' ? request : response;
  const contentType = head === null ? '' : (fieldValue(head.fields, 'content-type') ?? '');
  if (contentType.startsWith('application/grpc')) return 'grpc';
  if (from === 'client' || response === null) return 'whole';
  // Browsers and Java's clients watch over a WebSocket (k8s.io/apiserver, endpoints/handlers/watch.go: HandleWS).
  if (response.status === 101) return isWatch(request) ? 'messages' : 'whole';
  if (response.status !== null && response.status !== 200) return 'whole';
  if (contentType.includes('stream=watch'))
    return contentType.includes('protobuf') ? 'length-prefixed' : 'json-documents';
  if (isDockerProgress(request)) return 'json-documents';
  if (!isWatch(request)) return logFraming(request);
  if (contentType.includes('cbor-seq')) return 'cbor-sequence';
  return contentType.includes('protobuf') ? 'length-prefixed' : 'json-documents';
}

function isWatch(request: RequestHead | null): boolean {
  if (request === null || request.method === null || request.target === null) return false;
  return requestInfo(request.method, request.target)?.verb === 'watch';
}

/** A pull or a push reports its progress. */
function isDockerProgress(request: RequestHead | null): boolean {
  return request?.method === 'POST' && DOCKER_PROGRESS.test(request.target ?? '');
}

/** Logs that are followed do not end, so each piece is a message. */
function logFraming(request: RequestHead | null): BodyFraming {
  const target = request?.target ?? '';
  if (request?.method !== 'GET' || !FOLLOWS.test(target)) return 'whole';
  if (POD_LOG.test(target)) return 'log';
  return DOCKER_LOG.test(target) ? 'docker-stream' : 'whole';
}

const FOLLOWS = /[?&]follow=(?:true|True|TRUE|t|T|1)(?:&|$)/;
/** At the API server and at the kubelet. */
const POD_LOG = /^\/(?:api\/v1\/namespaces\/[^/?]+\/pods\/[^/?]+\/log|containerLogs\/[^?]+)\?/;
const DOCKER_PROGRESS = /^\/(?:v1\.\d+\/)?images\/(?:create\?|[^?]+\/push(?:\?|$))/;
const DOCKER_LOG = /^\/(?:v1\.\d+\/)?(?:containers|services|tasks)\/[^/?]+\/logs\?/;
