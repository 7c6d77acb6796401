// What one message of a remote call says, in the words of a diagram and in the fields of a line. Plain vocabulary between
// those who read messages of etcd and CRI and the one that puts calls together.

import type { Draft } from '../messages/draft.js';
import type { K8sEventInfo, ObjectField } from '../objects/object-info.js';

export interface RpcPayload {
  /** `event`: one change that a watch tells; else a part of its call. */
  readonly kind: 'message' | 'event';
  /** What it is about, for the label; empty where there is nothing to say. */
  words: string;
  key: string | undefined;
  revision: string | undefined;
  succeeded: boolean | undefined;
  /** What a request does to its key. */
  changes: 'creates' | 'updates' | 'deletes' | null;
  type: string | undefined;
  object: ObjectField | undefined;
  k8sEvent: K8sEventInfo | undefined;
  /** What the call is about, as a request to the API server would say it. */
  apiGroup: string | undefined;
  resource: string | undefined;
  namespace: string | undefined;
  name: string | undefined;
  podSandboxId: string | undefined;
  containerId: string | undefined;
  image: string | undefined;
  /** Name of the container that a call is about; the id is told. */
  container: string | undefined;
  /** Where a runtime streams to. Whoever knows it gets in: for comparing, never told. */
  url: string | undefined;
}

/** All fields from the start: every message has one shape. */
export function payload(words: string, kind: RpcPayload['kind'] = 'message'): RpcPayload {
  return {
    kind,
    words,
    key: undefined,
    revision: undefined,
    succeeded: undefined,
    changes: null,
    type: undefined,
    object: undefined,
    k8sEvent: undefined,
    apiGroup: undefined,
    resource: undefined,
    namespace: undefined,
    name: undefined,
    podSandboxId: undefined,
    containerId: undefined,
    image: undefined,
    container: undefined,
    url: undefined,
  };
}

export function copyPayload(message: Draft, what: RpcPayload): void {
  message.key = what.key;
  message.revision = what.revision;
  message.succeeded = what.succeeded;
  message.type = what.type;
  message.object = what.object;
  message.k8sEvent = what.k8sEvent;
  message.apiGroup = what.apiGroup;
  message.resource = what.resource;
  message.namespace = what.namespace;
  message.name = what.name;
  message.podSandboxId = what.podSandboxId;
  message.containerId = what.containerId;
  message.image = what.image;
}
