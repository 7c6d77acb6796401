// Defines the content of one gRPC message: fields of a message and words of its label.

import type { Table } from '../../../protobuf/table.js';
import type { Draft } from '../../messages/draft.js';
import type { K8sEventInfo, ObjectField } from '../../objects/object-info.js';

export interface RpcPayload {
  /** `event`: one change on a watch; else a part of its call. */
  readonly kind: 'message' | 'event';
  /** For the label; may be empty. */
  words: string;
  key: string | undefined;
  revision: string | undefined;
  succeeded: boolean | undefined;
  /** What a request does to its key. */
  changes: 'creates' | 'updates' | 'deletes' | null;
  type: string | undefined;
  object: ObjectField | undefined;
  k8sEvent: K8sEventInfo | undefined;
  /** The object of the call, as in a request to the API server. */
  apiGroup: string | undefined;
  resource: string | undefined;
  namespace: string | undefined;
  name: string | undefined;
  podSandboxId: string | undefined;
  containerId: string | undefined;
  image: string | undefined;
  /** Name of the container of a call; its message has the id. */
  container: string | undefined;
  /** URL of a runtime's stream. It grants access, so it is compared and never emitted. */
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

/** What a family reads of a call. */
export interface FamilyCall {
  /** Full name, `etcdserverpb.KV`. */
  readonly service: string;
  readonly method: string;
  /** State of the family between the request and its answer. */
  memory: unknown;
}

export interface RpcFamily {
  /** Field table of its services; null: only names are known. */
  readonly table: (() => Table) | null;
  /** Methods whose failures the caller repeats, word by word, in public. */
  readonly repeated?: ReadonlySet<string>;
  /** Of a request, or of a later message of its client. */
  readRequest(call: FamilyCall, bytes: Uint8Array): RpcPayload;
  /** Of a request whose method is not known; null: nothing can be read. */
  readUnknownRequest?(bytes: Uint8Array): RpcPayload | null;
  /** Of the answer of a call without streams; its words follow the status. */
  readResponse(call: FamilyCall, bytes: Uint8Array): RpcPayload;
  /** Of one message of a stream from the server. */
  readStreamed(call: FamilyCall, bytes: Uint8Array): readonly RpcPayload[];
}
