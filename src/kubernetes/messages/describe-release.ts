// Describes the Helm release that a request records.

import type { Body } from '../../http/exchange-event.js';
import { keepsRelease, releaseOf } from '../objects/releases.js';
import type { Draft } from './draft.js';

/** @param body of the request. That a release failed is a problem. */
export function describeRelease(message: Draft, body: Body | null): void {
  const { resource, name } = message;
  if (body === null || name === undefined || !keepsRelease(resource, name)) return;
  message.release = releaseOf(body.read().bytes, body.contentType, name);
  if (message.release?.status !== 'failed') return;
  const { name: release, revision, status } = message.release;
  message.problems = [{ of: `release ${release}, revision ${revision}`, state: status, reason: '' }];
}
