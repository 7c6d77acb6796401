// Which objects a list holds, by uid. Knows lists; what becomes of the objects is for others.

import { flattenString } from '../../core/bytes/bytes.js';
import { type Picked, pick, textIn, type Wanted } from './pick.js';

/** @param bytes a list after content decoding, borrowed; may be cut. @param contentType as for `carriedObject`. */
export function listedUids(bytes: Uint8Array, contentType: string): readonly string[] {
  const items = (pick(bytes, contentType, ITEMS)?.['items'] ?? []) as readonly Picked[];
  return items.map((item) => flattenString(textIn(item['metadata'] as Picked, 'uid'))).filter((uid) => uid !== '');
}

const ITEMS: Wanted = { items: [2, { many: { metadata: [1, { one: { uid: [5, 'text'] } }] } }] };
