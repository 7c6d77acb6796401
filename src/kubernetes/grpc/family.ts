// Defines what a family of gRPC services provides so that its calls become messages.

import type { Table } from '../../protobuf/table.js';
import type { RpcPayload } from './payload.js';

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
