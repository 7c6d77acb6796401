// Holds the fields of one message as its line has them, before any redaction.

import type { Captured, ReadableField } from '../kubernetes/messages/fields.js';
import type { Cause, MessageKind, Protocol } from '../kubernetes/messages/message.js';

type OptionalSavedFields = { -readonly [Name in ReadableField]: Captured<Name> | undefined };

/** Where the same message was seen with other addresses. */
export interface SavedCopy {
  readonly connection: string;
  readonly frames: readonly [number, number];
  /** Name of the capture; null: the line names none. */
  readonly capture: string | null;
}

/**
 * A reader fills the same object for each line: its one shape keeps the code that reads and shows fields fast, and no line leaves
 * garbage of its own. What is undefined is not on the line, or is not of its field's type.
 */
export class SavedFields implements OptionalSavedFields {
  seq = 0;
  /** ns since the epoch. */
  time = 0n;
  /** ns since the epoch. */
  started = 0n;
  /** Digits of the fraction of a second. */
  digits: 6 | 9 = 6;
  kind: MessageKind = 'request';
  protocol: Protocol = 'kubernetes';
  from = '';
  to = '';
  label = '';
  exchange = 0;
  connection = '';
  stream: number | null = null;
  frames: readonly [number, number] = NO_FRAMES;
  complete = false;
  /** Ids of participants in an export, which may be any value. */
  fromId: unknown = undefined;
  toId: unknown = undefined;
  viaIds: readonly unknown[] = NOTHING;
  /** Name of the capture; null: the line names none. */
  capture: string | null = null;
  lastCapture: string | undefined = undefined;
  inferred: readonly string[] | undefined = undefined;
  causedBy: number | undefined = undefined;
  cause: Cause | undefined = undefined;
  method: string | undefined = undefined;
  target: string | undefined = undefined;
  userAgent: string | undefined = undefined;
  user: string | undefined = undefined;
  userFrom: OptionalSavedFields['userFrom'] = undefined;
  traceparent: string | undefined = undefined;
  verb: string | undefined = undefined;
  apiGroup: string | undefined = undefined;
  apiVersion: string | undefined = undefined;
  resource: string | undefined = undefined;
  subresource: string | undefined = undefined;
  namespace: string | undefined = undefined;
  name: string | undefined = undefined;
  status: number | undefined = undefined;
  latencyMs: number | undefined = undefined;
  reason: string | undefined = undefined;
  object: OptionalSavedFields['object'] = undefined;
  type: string | undefined = undefined;
  initial: boolean | undefined = undefined;
  k8sEvent: OptionalSavedFields['k8sEvent'] = undefined;
  dryRun: boolean | undefined = undefined;
  claims: readonly string[] | undefined = undefined;
  missing: readonly string[] | undefined = undefined;
  warnings: readonly string[] | undefined = undefined;
  problems: OptionalSavedFields['problems'] = undefined;
  appliedFor: OptionalSavedFields['appliedFor'] = undefined;
  release: OptionalSavedFields['release'] = undefined;
  verdict: OptionalSavedFields['verdict'] = undefined;
  patch: readonly unknown[] | undefined = undefined;
  statusMessage: string | undefined = undefined;
  auditId: string | undefined = undefined;
  authorization: string | undefined = undefined;
  service: string | undefined = undefined;
  rpcMethod: string | null | undefined = undefined;
  grpcStatus: number | undefined = undefined;
  key: string | undefined = undefined;
  revision: string | undefined = undefined;
  succeeded: boolean | undefined = undefined;
  podSandboxId: string | undefined = undefined;
  containerId: string | undefined = undefined;
  image: string | undefined = undefined;
  channel: string | undefined = undefined;
  bytes: number | undefined = undefined;
  exitCode: number | undefined = undefined;
  via: readonly string[] | undefined = undefined;
  translated: readonly SavedCopy[] | undefined = undefined;
  headers: unknown = undefined;
  body: unknown = undefined;
}

/** Of a line that has none. */
export const NO_FRAMES: readonly [number, number] = [1, 1];
export const NOTHING: readonly unknown[] = [];
