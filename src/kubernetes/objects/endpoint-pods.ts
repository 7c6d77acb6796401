// The Pods that stand behind a Service, as an EndpointSlice or Endpoints object names them. Knows the two kinds.

import { record, textOf } from './meta-value.js';
import { objectFields } from './object-fields.js';

/**
 * @param bytes of a body, borrowed. @param contentType as for `objectFields`.
 * @returns uids of Pods: discovery/v1 `endpoints[].targetRef`, core/v1 `subsets[].addresses[].targetRef`; empty where
 * it names none.
 */
export function podsBehind(bytes: Uint8Array, contentType: string): readonly string[] {
  const fields = record(objectFields(bytes, contentType));
  const places = listOf(fields['endpoints']);
  for (const subset of listOf(fields['subsets'])) {
    const { addresses, notReadyAddresses } = record(subset) as { addresses?: unknown; notReadyAddresses?: unknown };
    places.push(...listOf(addresses), ...listOf(notReadyAddresses));
  }
  const uids = new Set<string>();
  for (const place of places.slice(0, MAX_ENDPOINTS)) {
    const target = record(record(place)['targetRef']);
    if (target['kind'] === 'Pod' && textOf(target['uid']) !== '') uids.add(textOf(target['uid']));
  }
  return [...uids];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? [...value] : [];
}

/** The API server takes 1000 endpoints in a slice (discovery/validation). */
const MAX_ENDPOINTS = 1000;
