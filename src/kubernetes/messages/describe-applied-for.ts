// Describes for which GitOps application or release a request makes or changes its object, by labels and annotations.

import type { RequestInfo } from '../api/request-info.js';
import { appliedForOf } from '../objects/applied-by.js';
import type { Draft } from './draft.js';

/** @param bytes of the request's body, after content decoding. @param contentType its media type. */
export function describeAppliedFor(
  message: Draft,
  info: RequestInfo | null,
  bytes: Uint8Array,
  contentType: string,
): void {
  if (info === null || !MAKES.has(info.verb) || info.subresource !== undefined) return;
  const appliedFor = appliedForOf(bytes, contentType, info.namespace ?? '');
  if (appliedFor !== undefined) message.appliedFor = appliedFor;
}

const MAKES = new Set(['create', 'update', 'patch']);
