// For which node a Pod of a DaemonSet is made. Knows how pkg/controller/daemon says so (util: ReplaceDaemonSetPodNodeNameNodeAffinity).

import { type Picked, pick, textIn, type Wanted } from './pick.js';

/** The only node by whose name a Pod may be placed; undefined: its affinity names none, or several. */
export function daemonNodeOf(bytes: Uint8Array, contentType: string): string | undefined {
  let at: Picked | undefined = pick(bytes, contentType, AFFINITY) ?? undefined;
  for (const name of PATH) at = at?.[name] as Picked | undefined;
  const terms = (at?.['nodeSelectorTerms'] ?? []) as readonly Picked[];
  const names = terms.map(({ matchFields = [] }) => {
    const byName = (matchFields as readonly Picked[]).find((one) => textIn(one, 'key') === 'metadata.name');
    const values = (byName?.['values'] ?? []) as readonly string[];
    return byName !== undefined && textIn(byName, 'operator') === 'In' && values.length === 1 ? values[0] : '';
  });
  return new Set(names).size === 1 && names[0] !== '' ? names[0] : undefined;
}

const PATH = ['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
const REQUIREMENT: Wanted = { key: [1, 'text'], operator: [2, 'text'], values: [3, 'texts'] };
const SELECTOR: Wanted = { nodeSelectorTerms: [1, { many: { matchFields: [2, { many: REQUIREMENT }] } }] };
const AFFINITY: Wanted = {
  spec: [
    2,
    {
      one: {
        affinity: [
          18,
          {
            one: {
              nodeAffinity: [1, { one: { requiredDuringSchedulingIgnoredDuringExecution: [1, { one: SELECTOR }] } }],
            },
          },
        ],
      },
    },
  ],
};
