// Names Pods and Services as participants, and parses such names.

import { labelName } from '../api/object-ref.js';
import type { Participant } from '../messages/message.js';

/** What an address can belong to. */
export type PlaceKind = 'Pod' | 'Service';

/** `Pod web-5d4f-x7k2p`, `Service kube-system/kube-dns`: the namespace where it is not `default`, as on labels. */
export function placeName(
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `${kind} ${labelName(namespace, name)}`;
}

/** The object that a participant's name names; null: it is a program. */
export function placeOf({ component, name }: Pick<Participant, 'component' | 'name'>): PlacedObject | null {
  const resource = RESOURCES[component];
  if (resource === undefined || !name.startsWith(`${component} `)) return null;
  const path = name.slice(component.length + 1).split('/');
  return { resource, namespace: path.length > 1 ? path[0] : 'default', name: path[path.length - 1] };
}

export interface PlacedObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

const RESOURCES: Readonly<Partial<Record<string, string>>> = { Pod: 'pods', Service: 'services' };
