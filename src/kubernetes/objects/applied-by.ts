// Reads which GitOps resource an object was applied for, from the labels and annotations that tools set: each tool is a row of `ROWS`.

import { indexOfBytes, utf8Bytes } from '../../core/bytes/bytes.js';
import { encodingOf, pick } from './encoding.js';
import { FieldSet, map, message } from './fields.js';

export interface AppliedFor {
  readonly resource: string;
  readonly apiGroup: string;
  /** Empty: not given. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * @param bytes a whole object or an apply patch, after content decoding; borrowed; may be cut.
 * @param contentType media type of the body. @param ownNamespace namespace of the object; empty: none.
 */
export function appliedForOf(bytes: Uint8Array, contentType: string, ownNamespace: string): AppliedFor | undefined {
  const body = bytes.length > MAX_BYTES ? bytes.subarray(0, MAX_BYTES) : bytes;
  const rows = ROWS.filter(({ mark }) => indexOfBytes(body, mark) >= 0);
  // These tools write JSON, even in an apply patch, whose media type is YAML's. YAML would have to be parsed whole, which is slow.
  if (rows.length === 0 || encodingOf(bytes, contentType) === 'yaml') return undefined;
  const { annotations, labels } = pick(bytes, contentType, METADATA)?.metadata ?? {};
  const texts = { ...annotations, ...labels };
  for (const { resource, apiGroup, read } of rows) {
    const { namespace, name } = read(texts, ownNamespace);
    if ((namespace === '' || NAME.test(namespace)) && NAME.test(name)) return { resource, apiGroup, namespace, name };
  }
  return undefined;
}

/** Labels and annotations by key. */
type Texts = Readonly<Partial<Record<string, string>>>;

interface AppliedForRow {
  readonly resource: string;
  readonly apiGroup: string;
  /** Text that is in each object that the tool applies; a cheap filter before anything is parsed. */
  readonly mark: Uint8Array;
  /** @param texts labels and annotations of all rows. @returns an empty name where the object was not applied for a resource of this row. */
  read(texts: Texts, ownNamespace: string): { readonly namespace: string; readonly name: string };
}

/** Flux: kustomize-controller and helm-controller (fluxcd/pkg/ssa: SetOwnerLabels; helm-controller: internal/postrender). */
function flux(resource: string, apiGroup: string): AppliedForRow {
  const read = ({ [`${apiGroup}/namespace`]: namespace = '', [`${apiGroup}/name`]: name = '' }: Texts) => {
    // Flux sets both labels.
    return { namespace, name: namespace === '' ? '' : name };
  };
  return { resource, apiGroup, mark: utf8Bytes(`${apiGroup}/name`), read };
}

const TRACKING = 'argocd.argoproj.io/tracking-id';

/**
 * `shop:apps/Deployment:default/web` for an Application in Argo CD's own namespace, which stays empty here; for one in another namespace
 * `NAMESPACE_shop:…` (util/argo/resource_tracking.go).
 */
const ARGO_CD: AppliedForRow = {
  resource: 'applications',
  apiGroup: 'argoproj.io',
  mark: utf8Bytes(TRACKING),
  read: (texts) => {
    const [, namespace = '', name = ''] = /^(?:([^_:]+)_)?([^_:]+):[^:]*:[^:]*$/.exec(texts[TRACKING] ?? '') ?? [];
    return { namespace, name };
  },
};

const CERTIFICATE = 'cert-manager.io/certificate-name';

/**
 * A Secret that cert-manager writes for a Certificate in the Secret's namespace; it has no owner reference to the Certificate
 * (internal/controller/certificates/secrets.go).
 */
const CERT_MANAGER: AppliedForRow = {
  resource: 'certificates',
  apiGroup: 'cert-manager.io',
  mark: utf8Bytes(CERTIFICATE),
  read: (texts, ownNamespace) => ({ namespace: ownNamespace, name: texts[CERTIFICATE] ?? '' }),
};

const FLUX = [flux('kustomizations', 'kustomize.toolkit.fluxcd.io'), flux('helmreleases', 'helm.toolkit.fluxcd.io')];
const ROWS: readonly AppliedForRow[] = [...FLUX, ARGO_CD, CERT_MANAGER];

const LABELS = FLUX.flatMap(({ apiGroup }) => [`${apiGroup}/namespace`, `${apiGroup}/name`]);
const METADATA = new FieldSet({
  metadata: message(1, { labels: map(11, ...LABELS), annotations: map(12, TRACKING, CERTIFICATE) }),
});
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
/** Limit in bytes: part of a body that is searched for the `mark` of a tool: metadata precedes what is long. */
const MAX_BYTES = 65_536;

// Reads the name, revision and status of a Helm release from the Secret or ConfigMap that records it
// (Helm: pkg/storage/driver, pkg/release/common/status.go).

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
  const { owner, status = '' } = pick(bytes, contentType, RELEASE)?.metadata?.labels ?? {};
  if (owner !== 'helm' || !STATUSES.has(status)) return undefined;
  return { name: release, revision: Number(revision), status };
}

/** May an object be such a record, by its resource and its name? */
export function keepsRelease(resource: string | undefined, name: string): boolean {
  return (resource === 'secrets' || resource === 'configmaps') && RECORD.test(name);
}

const RECORD = /^sh\.helm\.release\.v1\.(.{1,253})\.v(\d{1,9})$/;
const RELEASE = new FieldSet({ metadata: message(1, { labels: map(11, 'owner', 'status') }) });
const STATUSES: ReadonlySet<string> = new Set([
  ...['unknown', 'deployed', 'uninstalled', 'superseded', 'failed', 'uninstalling'],
  ...['pending-install', 'pending-upgrade', 'pending-rollback'],
]);
