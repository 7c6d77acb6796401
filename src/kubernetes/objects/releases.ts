// Reads the name, revision and status of a Helm release from the Secret or ConfigMap that records it
// (Helm: pkg/storage/driver, pkg/release/common/status.go).

import { pick } from './encoding.js';
import { FieldSet, map, message } from './fields.js';

export interface Release {
  readonly name: string;
  readonly revision: number;
  /** `pending-install`, `deployed`, `failed`, … */
  readonly status: string;
}

/**
 * @param bytes a record; after content decoding, borrowed; may be cut. @param contentType as for `carriedObject`.
 * @param name of the object. @returns undefined where it is no record of Helm's, or has no status.
 */
export function releaseOf(bytes: Uint8Array, contentType: string, name: string): Release | undefined {
  const [, release, revision] = RECORD.exec(name) ?? [];
  if (release === undefined) return undefined;
  const { owner, status = '' } = pick(bytes, contentType, LABELS)?.metadata?.labels ?? {};
  if (owner !== 'helm' || !STATUSES.has(status)) return undefined;
  return { name: release, revision: Number(revision), status };
}

/** May an object be such a record, by its resource and its name? */
export function keepsRelease(resource: string | undefined, name: string): boolean {
  return (resource === 'secrets' || resource === 'configmaps') && RECORD.test(name);
}

const RECORD = /^sh\.helm\.release\.v1\.(.{1,253})\.v(\d{1,9})$/;
const LABELS = new FieldSet({ metadata: message(1, { labels: map(11, 'owner', 'status') }) });
const STATUSES: ReadonlySet<string> = new Set([
  ...['unknown', 'deployed', 'uninstalled', 'superseded', 'failed', 'uninstalling'],
  ...['pending-install', 'pending-upgrade', 'pending-rollback'],
]);
