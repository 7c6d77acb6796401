// For whose sake an object is there that nobody owns, where its labels say so, as a table: a tool that says more is a row more.
// Knows labels that tools put on what they apply; what follows from them is for others.

import { encodingOf } from './meta.js';
import { type Picked, pick, textIn, type Wanted } from './pick.js';

export interface MadeFor {
  readonly resource: string;
  readonly apiGroup: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * @param bytes of a whole object, or of one that is applied, after content decoding; borrowed; may be cut.
 * @param contentType as for `carriedObject`.
 */
export function madeForOf(bytes: Uint8Array, contentType: string): MadeFor | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_BYTES));
  const rows = ROWS.filter(({ mark }) => body.includes(mark));
  // Who applies for others writes JSON; a library reads YAML whole.
  if (rows.length === 0 || encodingOf(bytes, contentType) === 'yaml') return undefined;
  const metadata = pick(bytes, contentType, WANTED)?.['metadata'] as Picked | undefined;
  const labels = metadata?.['labels'] as Picked | undefined;
  for (const { resource, apiGroup } of rows) {
    const [namespace, name] = [textIn(labels, `${apiGroup}/namespace`), textIn(labels, `${apiGroup}/name`)];
    if (NAME.test(namespace) && NAME.test(name)) return { resource, apiGroup, namespace, name };
  }
  return undefined;
}

/** Flux: kustomize-controller and helm-controller (fluxcd/pkg/ssa: SetOwnerLabels; helm-controller: internal/postrender). */
const ROWS = [
  { resource: 'kustomizations', apiGroup: 'kustomize.toolkit.fluxcd.io' },
  { resource: 'helmreleases', apiGroup: 'helm.toolkit.fluxcd.io' },
].map((row) => ({ ...row, mark: Buffer.from(`${row.apiGroup}/name`) }));

const LABELS = ROWS.flatMap(({ apiGroup }) => [`${apiGroup}/namespace`, `${apiGroup}/name`]);
const WANTED: Wanted = { metadata: [1, { one: { labels: [11, { map: LABELS }] } }] };
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
/** Metadata stands in front of what is long. */
const MAX_BYTES = 65_536;
