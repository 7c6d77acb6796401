// What a family of remote calls has to know of itself so that its calls become messages: a new family is a new file and a
// row in families.ts.

import type { Table } from '../../protobuf/table.js';
import type { RpcPayload } from './payload.js';

/** One call, as its family sees it. */
export interface FamilyCall {
  /** Full name, `etcdserverpb.KV`. */
  readonly service: string;
  readonly method: string;
  /** What the family keeps between the request and its answer. */
  memory: unknown;
}

export interface RpcFamily {
  /** Field table of its services; null: only names are known. */
  readonly table: (() => Table) | null;
  /** Methods whose failures the caller repeats, word by word, where everybody can read it. */
  readonly repeated?: ReadonlySet<string>;
  /** What a request, or a later message of its client, says. */
  asked(call: FamilyCall, bytes: Uint8Array): RpcPayload;
  /** What a request is about whose method is not known; null: it does not say. */
  about?(bytes: Uint8Array): RpcPayload | null;
  /** What the answer of a call without streams says; its words go after the status. */
  answered(call: FamilyCall, bytes: Uint8Array): RpcPayload;
  /** What one message of a stream from the server says. */
  streamed(call: FamilyCall, bytes: Uint8Array): readonly RpcPayload[];
}
