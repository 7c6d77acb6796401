// Reads which GitOps resource an object was applied for, from the labels and annotations that tools set; a further tool is
// a further row.

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
 * @param bytes of a whole object, or of one that is applied, after content decoding; borrowed; may be cut.
 * @param contentType as for `carriedObject`. @param ownNamespace of the object; empty: none.
 */
export function appliedForOf(bytes: Uint8Array, contentType: string, ownNamespace: string): AppliedFor | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_BYTES));
  const rows = ROWS.filter(({ mark }) => body.includes(mark));
  // These tools write JSON, and YAML would be decoded whole.
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

interface AppliedByRow {
  readonly resource: string;
  readonly apiGroup: string;
  /** What is in every body of its objects. */
  readonly mark: Buffer;
  /** @param texts labels and annotations that are wanted. @returns an empty name where they name none. */
  read(texts: Texts, ownNamespace: string): { readonly namespace: string; readonly name: string };
}

/** Flux: kustomize-controller and helm-controller (fluxcd/pkg/ssa: SetOwnerLabels; helm-controller: internal/postrender). */
function flux(resource: string, apiGroup: string): AppliedByRow {
  const read = ({ [`${apiGroup}/namespace`]: namespace = '', [`${apiGroup}/name`]: name = '' }: Texts) => {
    return { namespace, name: namespace === '' ? '' : name };
  };
  return { resource, apiGroup, mark: Buffer.from(`${apiGroup}/name`), read };
}

const TRACKING = 'argocd.argoproj.io/tracking-id';

/** `shop:apps/Deployment:default/web`; of an Application outside of Argo CD's namespace `NAMESPACE_shop:…` (util/argo/resource_tracking.go). */
const ARGO_CD: AppliedByRow = {
  resource: 'applications',
  apiGroup: 'argoproj.io',
  mark: Buffer.from(TRACKING),
  read: (texts) => {
    const [, namespace = '', name = ''] = /^(?:([^_:]+)_)?([^_:]+):[^:]*:[^:]*$/.exec(texts[TRACKING] ?? '') ?? [];
    return { namespace, name };
  },
};

const CERTIFICATE = 'cert-manager.io/certificate-name';

/** The Secret of a Certificate, which is in its namespace and not owned by it (cert-manager, internal/controller/certificates/secrets.go). */
const CERT_MANAGER: AppliedByRow = {
  resource: 'certificates',
  apiGroup: 'cert-manager.io',
  mark: Buffer.from(CERTIFICATE),
  read: (texts, ownNamespace) => ({ namespace: ownNamespace, name: texts[CERTIFICATE] ?? '' }),
};

const FLUX = [flux('kustomizations', 'kustomize.toolkit.fluxcd.io'), flux('helmreleases', 'helm.toolkit.fluxcd.io')];
const ROWS: readonly AppliedByRow[] = [...FLUX, ARGO_CD, CERT_MANAGER];

const LABELS = FLUX.flatMap(({ apiGroup }) => [`${apiGroup}/namespace`, `${apiGroup}/name`]);
const METADATA = new FieldSet({
  metadata: message(1, { labels: map(11, ...LABELS), annotations: map(12, TRACKING, CERTIFICATE) }),
});
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
/** Limit in bytes: part of a body that is searched for the labels of the tool that applies it: metadata stands in front of what is long. */
const MAX_BYTES = 65_536;
