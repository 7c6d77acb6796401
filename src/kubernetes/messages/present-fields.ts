// Lists which of its optional fields a message has: most messages have few of the many.

import { FIELD_ROWS, type FieldName } from './fields.js';
import type { Message } from './message.js';

/** The optional fields of one message. */
export interface PresentFields {
  /** Index in FIELD_ROWS of each, in that order; what follows the first `count` is from other messages. */
  readonly indices: Uint8Array;
  readonly count: number;
}

type OptionalFields = Pick<Message, Exclude<FieldName & keyof Message, 'seq'>>;

/**
 * The fields that a message has, of those after the ones that it shares with all messages. Each name stands in the code: names from
 * a list, looked up one after the other, took ten times as long.
 *
 * @returns the same object each time.
 */
export function presentFields(message: OptionalFields): PresentFields {
  const { indices } = PRESENT;
  let count = 0;
  if (message.method !== undefined) indices[count++] = INDEX.method;
  if (message.target !== undefined) indices[count++] = INDEX.target;
  if (message.userAgent !== undefined) indices[count++] = INDEX.userAgent;
  if (message.verb !== undefined) indices[count++] = INDEX.verb;
  if (message.apiGroup !== undefined) indices[count++] = INDEX.apiGroup;
  if (message.apiVersion !== undefined) indices[count++] = INDEX.apiVersion;
  if (message.resource !== undefined) indices[count++] = INDEX.resource;
  if (message.subresource !== undefined) indices[count++] = INDEX.subresource;
  if (message.namespace !== undefined) indices[count++] = INDEX.namespace;
  if (message.name !== undefined) indices[count++] = INDEX.name;
  if (message.user !== undefined) indices[count++] = INDEX.user;
  if (message.userFrom !== undefined) indices[count++] = INDEX.userFrom;
  if (message.traceparent !== undefined) indices[count++] = INDEX.traceparent;
  if (message.status !== undefined) indices[count++] = INDEX.status;
  if (message.reason !== undefined) indices[count++] = INDEX.reason;
  if (message.statusMessage !== undefined) indices[count++] = INDEX.statusMessage;
  if (message.auditId !== undefined) indices[count++] = INDEX.auditId;
  if (message.authorization !== undefined) indices[count++] = INDEX.authorization;
  if (message.latencyMs !== undefined) indices[count++] = INDEX.latencyMs;
  if (message.times !== undefined) indices[count++] = INDEX.times;
  if (message.object !== undefined) indices[count++] = INDEX.object;
  if (message.type !== undefined) indices[count++] = INDEX.type;
  if (message.initial !== undefined) indices[count++] = INDEX.initial;
  if (message.k8sEvent !== undefined) indices[count++] = INDEX.k8sEvent;
  if (message.claims !== undefined) indices[count++] = INDEX.claims;
  if (message.missing !== undefined) indices[count++] = INDEX.missing;
  if (message.dryRun !== undefined) indices[count++] = INDEX.dryRun;
  if (message.warnings !== undefined) indices[count++] = INDEX.warnings;
  if (message.problems !== undefined) indices[count++] = INDEX.problems;
  if (message.appliedFor !== undefined) indices[count++] = INDEX.appliedFor;
  if (message.release !== undefined) indices[count++] = INDEX.release;
  if (message.lease !== undefined) indices[count++] = INDEX.lease;
  if (message.verdict !== undefined) indices[count++] = INDEX.verdict;
  if (message.patch !== undefined) indices[count++] = INDEX.patch;
  if (message.service !== undefined) indices[count++] = INDEX.service;
  if (message.rpcMethod !== undefined) indices[count++] = INDEX.rpcMethod;
  if (message.grpcStatus !== undefined) indices[count++] = INDEX.grpcStatus;
  if (message.key !== undefined) indices[count++] = INDEX.key;
  if (message.revision !== undefined) indices[count++] = INDEX.revision;
  if (message.succeeded !== undefined) indices[count++] = INDEX.succeeded;
  if (message.podSandboxId !== undefined) indices[count++] = INDEX.podSandboxId;
  if (message.containerId !== undefined) indices[count++] = INDEX.containerId;
  if (message.image !== undefined) indices[count++] = INDEX.image;
  if (message.channel !== undefined) indices[count++] = INDEX.channel;
  if (message.bytes !== undefined) indices[count++] = INDEX.bytes;
  if (message.exitCode !== undefined) indices[count++] = INDEX.exitCode;
  if (message.cut !== undefined) indices[count++] = INDEX.cut;
  if (message.via !== undefined) indices[count++] = INDEX.via;
  if (message.translated !== undefined) indices[count++] = INDEX.translated;
  PRESENT.count = count;
  return PRESENT;
}

const INDEX = Object.fromEntries(FIELD_ROWS.map(([name], index) => [name, index])) as Readonly<
  Record<FieldName, number>
>;
const PRESENT = { indices: new Uint8Array(FIELD_ROWS.length), count: 0 };
