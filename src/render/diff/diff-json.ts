// Renders a difference as JSON: added, removed, changed and repeated arrows, each with the frames of both sides.

import type { WeighedDifference } from '../../diff/findings.js';
import type { Item } from '../../diff/item.js';
import { jsonText } from '../escape/json-text.js';

export function renderDiffJson(difference: WeighedDifference, names: readonly [string, string]): string {
  const { added, removed, changed, repeated, leftOut } = difference;
  const document = {
    before: names[0],
    after: names[1],
    same: difference.lines.filter(({ kind }) => kind === 'same').length,
    added: added.map(itemJson),
    removed: removed.map(itemJson),
    changed: changed.map(({ before, after, what }) => ({ what, before: itemJson(before), after: itemJson(after) })),
    repeated: repeated.map(({ item, before, after }) => {
      const { from, to, kind, label } = item;
      return { from, to, kind, label, before, after };
    }),
    leftOut,
  };
  return `${jsonText(document, 2)}\n`;
}

function itemJson({ from, to, kind, label, where }: Item): Record<string, unknown> {
  return { from, to, kind, label, ...where };
}
